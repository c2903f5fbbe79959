"""Each rule of the protocol is needed: without it, the checker finds a run that goes wrong, and prints its steps."""

import re

import pytest

from explorer import explore
from variants import VARIANTS
from world import Model


@pytest.mark.parametrize("name", VARIANTS)
def test_variant_is_found(name):
    variant = VARIANTS[name]
    found = explore(Model(variant.config))
    assert variant.problem in found.problem
    assert any(variant.step in step for step in found.trace), str(found)
    lines = str(found).split("\n")
    assert lines[:2] == [found.problem, f"after {len(found.trace)} steps:"]
    assert len(lines) == 2 + len(found.trace)
    for number, line in enumerate(lines[2:], 1):
        assert re.fullmatch(rf" *{number}\. (M\d(\.p\d)? |a tick|the |vault machines forget).{{5,}}", line), line


@pytest.mark.parametrize("name", VARIANTS)
def test_protocol_holds_where_the_variant_fails(name):
    found = explore(Model(VARIANTS[name].config._replace(variant="")))
    assert not found.problem, str(found)
