"""Repositories that programs of others make, and CAR files that can be changed.

arroba makes whole repositories, with secp256k1 keys. atmst makes trees, for commits that cryptography signs with keys of
either curve. Every CAR file is read by atmst, which hashes its blocks.
"""
import base64
import dataclasses
import io
import itertools

import dag_cbor
from arroba import did as did_keys
from arroba.repo import Repo
from arroba.storage import Block, CommitData, CommitOp, MemoryStorage
from arroba.util import Action, Write, new_key
from atmst.blockstore import MemoryBlockStore
from atmst.blockstore.car_file import ReadOnlyCARBlockStore, encode_varint
from atmst.mst.node import MSTNode
from atmst.mst.node_store import NodeStore
from atmst.mst.node_walker import NodeWalker
from atmst.mst.node_wrangler import NodeWrangler
from carbox import car as carbox
from cbrrr import CID, decode_dag_cbor, encode_dag_cbor
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

POSTS = "app.bsky.feed.post"
#: The record that tests verify and change.
TARGET = f"{POSTS}/0042"
CURVES = {"k256": ec.SECP256K1(), "p256": ec.SECP256R1()}
REVISION = "3l6oveex3ii2l"


@dataclasses.dataclass(frozen=True)
class Repository:
    """A CAR file, and the key of its commit."""

    did: str
    key: ec.EllipticCurvePrivateKey
    root: CID
    #: The contents by their identifiers, in the order of the file.
    blocks: dict
    file: bytes

    @staticmethod
    def read(did, key, file):
        store = ReadOnlyCARBlockStore(io.BytesIO(file))
        blocks = {CID(cid): store.get_block(cid) for cid in store.block_offsets}
        return Repository(did, key, store.car_root, blocks, file)

    @property
    def multikey(self):
        return multikey(self.key)

    @property
    def commit(self):
        return decode_dag_cbor(self.blocks[self.root])

    @property
    def store(self):
        """For atmst, which may add nodes to it."""
        return NodeStore(MemoryBlockStore({bytes(cid): content for cid, content in self.blocks.items()}))

    @property
    def nodes(self):
        return list(NodeWalker(self.store, self.commit["data"]).iter_nodes())

    @property
    def tree(self):
        """The identifiers of the records by their paths."""
        return dict(NodeWalker(self.store, self.commit["data"]).iter_kv())

    @property
    def records(self):
        """The records as JSON by their paths."""
        return {path: decode_dag_cbor(self.blocks[cid], atjson_mode=True) for path, cid in self.tree.items()}

    def node_of(self, path):
        """The identifier of the node that has the path."""
        return next(node.cid for node in self.nodes if path in node.keys)

    def with_blocks(self, blocks, root=None):
        root = root or self.root
        return dataclasses.replace(self, root=root, blocks=blocks, file=written(root, blocks.items()))

    def with_commit(self, commit, more=()):
        """The same tree below another commit, and more blocks."""
        content = encode_dag_cbor(commit)
        blocks = {cid: block for cid, block in self.blocks.items() if cid != self.root}
        return self.with_blocks({identifier(content): content} | blocks | dict(more), identifier(content))

    def signed_anew(self, more=(), key=None, **members):
        """Other members in the commit, signed with its own key or another one; and more blocks."""
        unsigned = {name: value for name, value in self.commit.items() if name != "sig"} | members
        return self.with_commit(signed(unsigned, key or self.key), more)

    def signed_with_tree(self, *nodes):
        """Another tree, signed with its own key. The last node is the root."""
        contents = [encode_dag_cbor(node) for node in nodes]
        return self.signed_anew([(identifier(content), content) for content in contents], data=identifier(contents[-1]))


def identifier(content):
    return CID.cidv1_dag_cbor_sha256_32_from(content)


def multikey(key):
    return did_keys.encode_did_key(key.public_key()).removeprefix("did:key:")


def written(root, blocks):
    """A CAR file of version 1."""
    sections = [encode_dag_cbor({"version": 1, "roots": [root]})]
    sections += [bytes(cid) + content for cid, content in blocks]
    return b"".join(encode_varint(len(section)) + section for section in sections)


def node(tree, *paths, left=None, right=None):
    """A node with these records, subtrees before and after them, and no checks."""
    entries = [{"k": path.encode(), "p": 0, "t": None, "v": tree[path]} for path in paths]
    entries[-1]["t"] = right and identifier(encode_dag_cbor(right))
    return {"e": entries, "l": left and identifier(encode_dag_cbor(left))}


def signed(unsigned, key):
    """With both numbers of the signature, the second one in its lower form."""
    r, s = decode_dss_signature(key.sign(encode_dag_cbor(unsigned), ec.ECDSA(hashes.SHA256())))
    return unsigned | {"sig": joined(r, min(s, key.curve.group_order - s))}


def joined(r, s):
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


# Records.


def post(text):
    return {"$type": POSTS, "text": text, "createdAt": "2026-01-01T00:00:00.000Z"}


def records():
    """Records as JSON by their paths: posts, all kinds of values, and a path that belongs to a high layer."""
    link = {"$link": identifier(b"\x60").encode()}
    made = {f"{POSTS}/{number:04}": post(f"Post {number}") for number in range(240)}
    # With the content of another record, so both are one block.
    made[f"{POSTS}/again"] = made[TARGET]
    made["com.example.values/all:of_them.at-once"] = {
        "$type": "com.example.values", "text": 'Zoë 🦋 \u0000\u2028"\\', "": "no name", "link": link,
        "bytes": {"$bytes": base64.b64encode(bytes(range(256))).decode().rstrip("=")},
        "numbers": [0, -1, 23, 24, 255, 256, 65535, 65536, -(2**32) - 1, 2**53 - 1, 1 - 2**53],
        "nothing": None, "truth": [True, False], "empty": [{}, [], ""],
        "blob": {"$type": "blob", "ref": link, "mimeType": "image/png", "size": 1},
    }
    made["com.example.large/self"] = {"$type": "com.example.large", "text": "large " * 20_000}
    made[path_of_layer(6)] = post("Above nodes without keys")
    return made


def path_of_layer(layer, above=""):
    """A path of a post in this layer of the tree, whose key is above another key."""
    paths = (f"{POSTS}/{above}t{number}" for number in itertools.count())
    return next(path for path in paths if MSTNode.key_height(path) == layer)


# Makers: each takes a DID, and records by their paths.


def by_arroba(did, made):
    repo = arroba_repo(did, made)
    blocks = [carbox.Block(repo.head.cid, repo.head.encoded)]
    blocks += [carbox.Block(cid, content) for cid, content in repo.mst.load_all()]
    return Repository.read(did, repo.signing_key, carbox.write_car([repo.head.cid], blocks))


def arroba_repo(did, made):
    """arroba's own object. Its records were changed and deleted since the first commit."""
    repo = Repo.create(MemoryStorage(), did, signing_key=new_key())
    if not made:
        return repo
    changed = {path: post("Changed or deleted soon") for path in (TARGET, f"{POSTS}/deleted")}

    def write(action, path, record=None):
        return Write(action, *path.split("/"), record and dag_cbor.decode(encode_dag_cbor(record, atjson_mode=True)))

    writes = [write(Action.CREATE, path, record) for path, record in (made | changed).items()]
    for start in range(0, len(writes), 100):
        repo.storage.commit(repo, writes[start:start + 100])
    repo.storage.commit(
        repo, [write(Action.UPDATE, TARGET, made[TARGET]), write(Action.DELETE, f"{POSTS}/deleted")])
    return repo


def arroba_proof(did, made, path):
    """The commit, the nodes that arroba takes for the proof of one path, and the record if there is one."""
    repo = arroba_repo(did, made)
    create = Block(decoded={"": None}, ops=[CommitOp(Action.CREATE, path, None)])
    proof = repo.mst.add_covering_proofs(CommitData(commit=create, blocks={}))
    contents = {repo.head.cid: repo.head.encoded} | {cid: block.encoded for cid, block in proof.items()}
    if cid := repo.mst.get(path):
        contents[cid] = repo.storage.read(cid).encoded
    blocks = [carbox.Block(cid, content) for cid, content in contents.items()]
    return Repository.read(did, repo.signing_key, carbox.write_car([repo.head.cid], blocks))


def by_atmst(curve):
    def make(did, made):
        key = ec.generate_private_key(CURVES[curve])
        store = NodeStore(MemoryBlockStore())
        wrangler, data, blocks = NodeWrangler(store), store.get_node(None).cid, {}
        for path, record in made.items():
            content = encode_dag_cbor(record, atjson_mode=True)
            blocks[identifier(content)] = content
            data = wrangler.put_record(data, path, identifier(content))
        blocks |= {node.cid: node.serialised for node in NodeWalker(store, data).iter_nodes()}
        commit = signed({"did": did, "version": 3, "rev": REVISION, "prev": None, "data": data}, key)
        content = encode_dag_cbor(commit)
        blocks = {identifier(content): content} | blocks
        return Repository.read(did, key, written(identifier(content), blocks.items()))

    return make


MAKERS = {"arroba-k256": by_arroba, "atmst-k256": by_atmst("k256"), "atmst-p256": by_atmst("p256")}
