"""`bskyauth verify` proves repositories that other programs made, and refuses changed copies of them.

The other way round, atmst, libipld, arroba and atproto verify the sandbox's own repository.
"""
import base64
import dataclasses
import json
import os

import libipld
import pytest
import requests
from arroba.mst import MST
from arroba.storage import MemoryStorage
from atmst.mst.node import MSTNode
from atmst.mst.node_walker import NodeWalker
from atmst.mst.node_wrangler import NodeWrangler
from atproto_crypto.verify import verify_signature
from cbrrr import CID, encode_dag_cbor
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from multiformats import CID as ArrobaCID

import names
import network as parts
from repositories import (
    CURVES, MAKERS, POSTS, TARGET, Repository, arroba_proof, identifier, joined, multikey, node, path_of_layer, post,
    records, written,
)

#: Before all records, between two of them, and after all.
ABSENT = ["aaa.example.first/a", f"{TARGET}a", "zzz.example.last/z"]
makers = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """One network for all tests here. Each test places a repository of its own."""
    network = parts.Network(os.environ["BSKYAUTH_TEST_SANDBOX"], tmp_path_factory.mktemp("network"))
    yield network
    network.stop()


@pytest.fixture(scope="module", params=MAKERS)
def repository(request, network):
    """A repository of alice."""
    return MAKERS[request.param](network.did(names.ALICE), records())


@pytest.fixture(scope="module")
def ask(network):
    """Sends a request to the PDS, or to another server. It is a POST if it has a body."""

    def ask(path, body=None, origin=names.PDS_ORIGIN, **fields):
        answer = requests.request(
            "GET" if body is None else "POST", f"{origin}/{path}", json=body, headers=fields,
            verify=str(network.authority.file), timeout=600)
        assert answer.status_code == 200, answer.text
        return answer

    return ask


@pytest.fixture(scope="module")
def write(ask):
    """Has an account write records to its PDS, or delete those that are None."""

    def write(handle, made):
        login = ask("xrpc/com.atproto.server.createSession", {"identifier": handle, "password": "hunter2"}).json()
        for path, record in made.items():
            collection, key = path.split("/")
            body = {"repo": login["did"], "collection": collection, "rkey": key}
            method = "putRecord" if record else "deleteRecord"
            body |= {"record": record} if record else {}
            ask(f"xrpc/com.atproto.repo.{method}", body, Authorization=f"Bearer {login['accessJwt']}")

    return write


@pytest.fixture(scope="module")
def alices(write):
    """The records of the repository are also what `com.atproto.repo.getRecord` answers."""
    write(names.ALICE, records())


@pytest.fixture
def uncompared(network):
    """The PDS does not know the method whose answer is compared with a proof."""
    action = {"respond": {"status": 501, "body": {"error": "MethodNotImplemented"}}}
    network.sandbox.fault(action, path="/xrpc/com.atproto.repo.getRecord")
    yield
    network.sandbox.control("POST", "faults", [])


@pytest.fixture
def place(network):
    """Has the PDS serve a repository, and the DID document name its key or another one."""
    placed = set()

    def place(repository, multikey=None):
        placed.add(repository.did)
        body = {
            "did": repository.did, "car": base64.b64encode(repository.file).decode(),
            "multikey": multikey or repository.multikey,
        }
        network.sandbox.control("POST", "repositories", body)

    yield place
    for did in placed:
        network.sandbox.control("POST", "repositories", {"did": did, "car": None})


@pytest.fixture
def placed(place, tmp_path):
    """Places a repository. Answers the commands that verify one record, the whole repository, and its file."""

    def commands(repository, path=TARGET, multikey=None):
        place(repository, multikey)
        file = tmp_path / "repository.car"
        file.write_bytes(repository.file)
        return [["verify", address(repository.did, path)], ["verify", repository.did, "--repo"], ["verify", str(file)]]

    return commands


def address(account, path):
    return f"at://{account}/{path}"


# What is proven.


# covers: F14
def test_records(home, place, alices, repository):
    place(repository)
    layers = {MSTNode.key_height(path): path for path in repository.tree}
    assert len(layers) >= 4
    others = [path for path in repository.tree if not path.startswith(f"{POSTS}/0")]
    for path in {TARGET, *layers.values(), *others}:
        answer = home.succeed("verify", address(names.ALICE, path))
        assert answer["result"] == "present" and answer["absence"] is None and answer["valid_data"] is True
        assert answer["uri"] == address(repository.did, path)
        assert answer["cid"] == repository.tree[path].encode()
        assert answer["record"] == records()[path]
        assert answer["revision"] == repository.commit["rev"]
        assert answer["key"] == {"multibase": repository.multikey, "is_current": True, "from": None, "until": None}
        assert answer["compared_with"] == names.PDS_ORIGIN


@pytest.mark.parametrize("path", ABSENT)
def test_a_record_that_is_absent(home, place, alices, repository, path):
    place(repository)
    absent = home.run("verify", address(repository.did, path))
    assert absent.returncode == 6, absent.stderr
    assert json.loads(absent.stderr.splitlines()[-1])["error"]["code"] == "record_absent"
    answer = home.succeed("verify", address(repository.did, path), "--expect-absent")
    assert answer == json.loads(absent.stdout)
    assert answer["result"] == "absent" and answer["absence"] == "proven"
    assert answer["cid"] is None and answer["record"] is None

    present = home.run("verify", address(repository.did, TARGET), "--expect-absent")
    assert present.returncode == 6, present.stderr


def test_whole_repository(home, placed, repository):
    """atmst counts the records."""
    assert repository.records == records()
    _, *whole = placed(repository)
    for command in whole:
        answer = home.succeed(*command)
        assert answer["did"] == repository.did
        assert answer["records"] == len(repository.tree) and answer["blocks"] == len(repository.blocks)
        assert answer["invalid_records"] == answer["unreferenced_blocks"] == 0
        assert answer["revision"] == repository.commit["rev"]
        assert answer["key"]["multibase"] == repository.multikey


@makers
def test_an_empty_repository(network, home, placed, uncompared, make):
    record, *whole = placed(make(network.did(names.ALICE), {}))
    assert home.succeed(*record, "--expect-absent")["absence"] == "proven"
    for command in whole:
        answer = home.succeed(*command)
        assert answer["records"] == 0 and answer["blocks"] == 2


@makers
def test_an_account_of_did_web(home, placed, write, make):
    write(names.CAROL, {TARGET: records()[TARGET]})
    record, *whole = placed(make(names.CAROL_DID, records()))
    assert home.succeed(*record)["record"] == records()[TARGET]
    for command in whole:
        assert home.succeed(*command)["records"] == len(records())


def test_blocks_in_any_order_repeated_and_of_others(home, placed, alices, repository):
    others = [encode_dag_cbor({"other": number}) for number in range(3)]
    blocks = [*reversed(repository.blocks.items()), *((identifier(content), content) for content in others)]
    record, *whole = placed(dataclasses.replace(repository, file=written(repository.root, blocks + blocks)))
    assert home.succeed(*record)["record"] == records()[TARGET]
    for command in whole:
        answer = home.succeed(*command)
        assert answer["records"] == len(records()) and answer["blocks"] == len(blocks)
        assert answer["unreferenced_blocks"] == len(others)


@pytest.mark.parametrize("path", [TARGET, *ABSENT])
def test_the_nodes_that_arroba_takes_for_a_proof(network, home, place, alices, path):
    did = network.did(names.ALICE)
    proof = arroba_proof(did, records(), path)
    assert len(proof.blocks) < 20
    place(proof)
    answer = home.succeed("verify", address(did, path), *(["--expect-absent"] if path in ABSENT else []))
    assert answer["record"] == records().get(path)


def test_a_record_that_is_no_valid_data(home, placed, uncompared, repository):
    """AT Protocol has no floats. The account signed it all the same, so it is proven."""
    content = encode_dag_cbor({"$type": POSTS, "number": 0.5})
    changed = repository.signed_with_tree(node({TARGET: identifier(content)}, TARGET))
    record, *whole = placed(changed.with_blocks(changed.blocks | {identifier(content): content}))
    answer = home.succeed(*record)
    assert answer["result"] == "present" and answer["valid_data"] is False and answer["record"] is None
    # Whoever asks for a part uses it, and there is none.
    assert home.fail(13, *record, "--get", ".record")["code"] == "record_invalid"
    for command in whole:
        answer = home.succeed(*command)
        assert answer["records"] == answer["invalid_records"] == 1


# What is not proven.


def flipped(content, position=-1, bit=0):
    changed = bytearray(content)
    changed[position] ^= 1 << bit
    return bytes(changed)


def with_flipped(repository, cid):
    """One bit of a block is another."""
    return repository.with_blocks(repository.blocks | {cid: flipped(repository.blocks[cid])})


def with_flipped_and_renamed(repository, cid):
    """One bit of a block is another, and its identifier is right."""
    content = flipped(repository.blocks[cid])
    changed = without(repository, cid)
    return changed.with_blocks(changed.blocks | {identifier(content): content})


def without(repository, cid):
    return repository.with_blocks({name: content for name, content in repository.blocks.items() if name != cid})


def with_other_tree(repository, change, more=()):
    """The whole path up to the commit is right, and the signature is the old one."""
    store = repository.store
    data = change(NodeWrangler(store), repository.commit["data"])
    nodes = [(node.cid, node.serialised) for node in NodeWalker(store, data).iter_nodes()]
    return repository.with_commit(repository.commit | {"data": data}, [*nodes, *more])


def with_other_record(repository):
    content = encode_dag_cbor(post("Forged"))
    cid = identifier(content)
    return with_other_tree(repository, lambda tree, root: tree.put_record(root, TARGET, cid), [(cid, content)])


def with_hidden_record(repository):
    return with_other_tree(repository, lambda tree, root: tree.del_record(root, TARGET))


def with_signature(repository, change):
    """Changes both numbers of the signature. The third argument is the order of the curve."""
    signature = repository.commit["sig"]
    numbers = [int.from_bytes(half, "big") for half in (signature[:32], signature[32:])]
    changed = change(*numbers, repository.key.curve.group_order)
    return repository.with_commit(repository.commit | {"sig": changed})


def with_layers(repository, *layers):
    """One node, signed by the account, with a record of each layer."""
    paths = sorted(path_of_layer(layer, "0") for layer in layers)
    return repository.signed_with_tree(node(dict.fromkeys(paths, repository.tree[TARGET]), *paths))


def with_wrong_order(repository):
    paths = [path for path in repository.tree if MSTNode.key_height(path) == 0][1::-1]
    return repository.signed_with_tree(node(repository.tree, *paths))


def with_skipped_layer(repository):
    """The parent of a node is two layers above it."""
    below = node(repository.tree, TARGET)
    above = path_of_layer(MSTNode.key_height(TARGET) + 2, above="1")
    return repository.signed_with_tree(below, node({above: repository.tree[TARGET]}, above, left=below))


def with_short_prefix(repository):
    """Two keys of one layer, of which the second is written whole."""
    paths = [path for path in repository.tree if MSTNode.key_height(path) == 0][:2]
    return repository.signed_with_tree(node(repository.tree, *paths))


def with_path(repository, path):
    """The only path of the tree, at any layer."""
    return repository.signed_with_tree(node({path: repository.tree[TARGET]}, path))


def raw(cid):
    """The same hash under the identifier of plain bytes."""
    return CID(bytes(cid).replace(b"\x01\x71", b"\x01\x55", 1))


def with_raw_node(repository):
    below = node(repository.tree, TARGET)
    above = path_of_layer(MSTNode.key_height(TARGET) + 1, above="1")
    parent = node({above: repository.tree[TARGET]}, above, left=below)
    parent["l"] = raw(parent["l"])
    changed = repository.signed_with_tree(below, parent)
    return changed.with_blocks(changed.blocks | {parent["l"]: encode_dag_cbor(below)})


def with_raw_tree(repository):
    data = repository.commit["data"]
    return repository.signed_anew([(raw(data), repository.blocks[data])], data=raw(data))


def with_raw_commit(repository):
    root = raw(repository.root)
    return repository.with_blocks(repository.blocks | {root: repository.blocks[repository.root]}, root)


def with_wrong_side(repository):
    """A record that is below its parent's key is in the subtree above this key."""
    low = node(repository.tree, TARGET)
    above = path_of_layer(MSTNode.key_height(TARGET) + 1, above="1")
    return repository.signed_with_tree(low, node({above: repository.tree[TARGET]}, above, right=low))


NO_PATHS = (
    "foo/a", "app.bsky/a", "app..x/a", "app.x.1y/a", "app.x.y-z/a", f"{POSTS}/.", f"{POSTS}/..", f"{POSTS}/{'k' * 513}",
)

CHANGES = {
    "bit of the record": ("proof_car", lambda it: with_flipped(it, it.tree[TARGET])),
    "bit of a node": ("proof_car", lambda it: with_flipped(it, it.node_of(TARGET))),
    "bit of the commit": ("proof_car", lambda it: with_flipped(it, it.root)),
    "end missing": ("proof_car", lambda it: dataclasses.replace(it, file=it.file[:-1])),
    "bit of the record, renamed": ("proof_incomplete", lambda it: with_flipped_and_renamed(it, it.tree[TARGET])),
    "bit of a node, renamed": ("proof_incomplete", lambda it: with_flipped_and_renamed(it, it.node_of(TARGET))),
    "no record": ("proof_incomplete", lambda it: without(it, it.tree[TARGET])),
    "no node": ("proof_incomplete", lambda it: without(it, it.node_of(TARGET))),
    "no root of the tree": ("proof_incomplete", lambda it: without(it, it.commit["data"])),
    "no commit": ("proof_incomplete", lambda it: without(it, it.root)),
    "other revision": ("proof_signature", lambda it: it.with_commit(it.commit | {"rev": "3l6oveex3ii2m"})),
    "other record": ("proof_signature", with_other_record),
    "hidden record": ("proof_signature", with_hidden_record),
    "bit of the signature": ("proof_signature", lambda it: it.with_commit(it.commit | {"sig": flipped(it.commit["sig"])})),
    "higher s": ("proof_signature", lambda it: with_signature(it, lambda r, s, order: joined(r, order - s))),
    "r and s swapped": ("proof_signature", lambda it: with_signature(it, lambda r, s, order: joined(s, r))),
    "zeros": ("proof_signature", lambda it: with_signature(it, lambda *_: bytes(64))),
    "DER": ("proof_signature", lambda it: with_signature(it, lambda r, s, _: encode_dss_signature(r, s))),
    "signed, version 2": ("proof_commit", lambda it: it.signed_anew(version=2)),
    "signed, one more member": ("proof_commit", lambda it: it.signed_anew(note="more")),
    "signed, from the future": ("proof_revision", lambda it: it.signed_anew(rev="bzzzzzzzzzz22")),
    "signed, two layers in a node": ("proof_tree", lambda it: with_layers(it, 0, 1)),
    "signed, wrong order": ("proof_tree", with_wrong_order),
    "signed, a layer skipped": ("proof_tree", with_skipped_layer),
    "signed, a prefix that is not the longest": ("proof_tree", with_short_prefix),
    **{
        f"signed, the path {path[:25]}": ("proof_tree", lambda it, path=path: with_path(it, path))
        for path in NO_PATHS
    },
    "signed, a node of plain bytes": ("proof_tree", with_raw_node),
    "signed, a tree of plain bytes": ("proof_commit", with_raw_tree),
    "signed, a commit of plain bytes": ("proof_commit", with_raw_commit),
}


@makers
@pytest.mark.parametrize("collection", ["COM.example.x", "com.Example.x"])
def test_a_collection_with_capitals(network, home, placed, uncompared, make, collection):
    """The official server keeps it apart from the one in small letters."""
    made = {f"{collection}/a": post("Large"), TARGET: post("Other")}
    repository = make(network.did(names.ALICE), made)
    record, *whole = placed(repository, path=f"{collection}/a")
    answer = home.succeed(*record)
    assert answer["record"] == made[f"{collection}/a"] and answer["uri"] == address(repository.did, f"{collection}/a")
    for command in whole:
        assert home.succeed(*command)["records"] == 2
    home.succeed("verify", address(repository.did, "com.example.x/a"), "--expect-absent")


@pytest.mark.parametrize("code, change", CHANGES.values(), ids=CHANGES)
def test_a_changed_copy(home, placed, repository, code, change):
    for command in placed(change(repository)):
        assert home.fail(13, *command)["code"] == code, command


@pytest.mark.parametrize("curve", CURVES)
def test_a_key_that_the_account_never_had(home, placed, repository, curve):
    changed = repository.signed_anew(key=ec.generate_private_key(CURVES[curve]))
    for command in placed(changed):
        assert home.fail(13, *command)["code"] == "proof_signature"


@pytest.mark.parametrize("curve", CURVES)
def test_an_earlier_key(home, place, placed, alices, repository, curve):
    place(repository)
    for command in placed(repository, multikey=multikey(ec.generate_private_key(CURVES[curve]))):
        assert home.fail(13, *command)["code"] == "past_key"
        key = home.succeed(*command, "--allow-past-keys")["key"]
        assert key["multibase"] == repository.multikey and key["is_current"] is False


def test_the_repository_of_another_account(network, home, placed, repository):
    """Signed with the right key, for another DID. A file is taken for what its commit says, whose key is another."""
    *asked, file = placed(repository.signed_anew(did=network.did(names.BOB)))
    for command in asked:
        assert home.fail(13, *command)["code"] == "proof_repository"
    assert home.fail(13, *file)["code"] == "proof_signature"


def test_a_record_on_the_wrong_side(home, placed, repository):
    """The path of the record does not lead to it, so only the check of the whole tree finds it."""
    _, *whole = placed(with_wrong_side(repository))
    for command in whole:
        assert home.fail(13, *command)["code"] == "proof_tree"


def test_absence_needs_the_whole_path(home, placed, repository):
    """A node that was left out may have the record."""
    for cid in (repository.node_of(TARGET), repository.commit["data"]):
        record, *_ = placed(without(repository, cid), path=f"{TARGET}a")
        for expectation in ([], ["--expect-absent"]):
            assert home.fail(13, *record, *expectation)["code"] == "proof_incomplete"


# covers: F14
@makers
def test_every_byte_matters(network, home, placed, tmp_path, make):
    """Bits of a small repository, in its header, lengths, identifiers and contents."""
    repository = make(network.did(names.ALICE), {TARGET: records()[TARGET]})
    _, _, file = placed(repository)
    assert home.succeed(*file)["records"] == 1
    # 5 is prime to 8, so all bits of a byte come in turn.
    for position in range(0, len(repository.file), 5):
        (tmp_path / "repository.car").write_bytes(flipped(repository.file, position, position % 8))
        home.fail(13, *file)


# The other direction.


# covers: F14
def test_others_verify_the_repository_of_the_sandbox(network, home, ask, write):
    """The tests above use the sandbox as a server of files alone. Here is what it makes itself."""
    did = network.did(names.BOB)
    made = {f"{POSTS}/own{number}": post(f"Post {number}") for number in range(40)} | records()
    write(names.BOB, made | {f"{POSTS}/own7": None})
    made.pop(f"{POSTS}/own7")

    repository = Repository.read(did, None, ask(f"xrpc/com.atproto.sync.getRepo?did={did}").content)
    methods = ask(did, origin=f"https://{names.DIRECTORY}").json()["verificationMethod"]
    (key,) = [method["publicKeyMultibase"] for method in methods if method["id"].endswith("#atproto")]

    # atmst has hashed every block. libipld reads the same ones.
    header, blocks = libipld.decode_car(repository.file)
    assert header["roots"] == [bytes(repository.root)]
    assert {CID(cid) for cid in blocks} == repository.blocks.keys()

    # atproto verifies the signature, and refuses it for other bytes.
    commit = repository.commit
    unsigned = encode_dag_cbor({name: value for name, value in commit.items() if name != "sig"})
    assert commit["did"] == did and commit["version"] == 3
    assert verify_signature(f"did:key:{key}", unsigned, commit["sig"])
    assert not verify_signature(f"did:key:{key}", flipped(unsigned), commit["sig"])

    # arroba makes the same tree of the same records.
    assert repository.records == made
    tree = MST.create(storage=MemoryStorage())
    for path, cid in repository.tree.items():
        tree = tree.add(path, ArrobaCID.decode(bytes(cid)))
    assert bytes(tree.get_pointer()) == bytes(commit["data"])

    # bskyauth comes to the same results.
    answer = home.succeed("verify", did, "--repo")
    assert answer["records"] == len(repository.tree) and answer["blocks"] == len(repository.blocks)
    assert answer["key"]["multibase"] == key and answer["revision"] == commit["rev"]

    # The sandbox's proof of one record is enough for atmst, too.
    for path in (f"{POSTS}/own3", f"{POSTS}/own7", f"{POSTS}/own8"):
        collection, record_key = path.split("/")
        query = f"did={did}&collection={collection}&rkey={record_key}"
        proof = Repository.read(did, None, ask(f"xrpc/com.atproto.sync.getRecord?{query}").content)
        assert proof.root == repository.root and len(proof.blocks) < 20
        found = NodeWalker(proof.store, commit["data"]).find_rpath(path)
        assert found == repository.tree.get(path)
        assert found is None or proof.blocks[found] == repository.blocks[found]
        answer = home.succeed("verify", address(did, path), *([] if found else ["--expect-absent"]))
        assert answer["cid"] == (found and found.encode())
