"""Finds tokens of OAuth and private keys in texts that a server sent or wrote."""
import re

#: JWTs, the refresh tokens and codes of the official server, private keys as JWK, and the members that carry them.
SECRET = re.compile(
    r"""eyJ[\w-]{8,}\.|\b(?:ref|tok|cod)-[\w-]{8,}|"(?:access_token|refresh_token|id_token|d|dpopKey)"\s*:|PRIVATE KEY""")


def secrets(text):
    return SECRET.findall(text)
