#!/usr/bin/env python3
"""Verifies bundles of studies without the program that wrote them.

    python3 verify_bundle.py [--trust KEY.pem] [--captions FILE] BUNDLE...

Checks the archive, the manifest, every digest, the chain of the journal, the signature, and that each stored file is named by a
record. It does not derive the results of a study again: `media-study verify` does. A signature proves neither a time nor an entry in
a log. Needs Python 3.8 and the package `cryptography`.

Prints one line for each bundle. Exits with 0 if all are intact, with 1 if one is damaged, and with 2 for a wrong call. It exits with 4
if a bundle is intact, but another key signed it, or the captions file is not listed in it.
"""

import argparse
import base64
import hashlib
import json
import re
import sys

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

BLOCK = 512
MANIFEST, SIGNATURE, KEY = "manifest.json", "signature.json", "signing-key.pem"
SIGSTORE, JOURNAL, ROWS, SCHEMAS = "signature.sigstore.json", "journal.jsonl", "rows.json", "schemas.json"
CAPTIONS = "captions.json"
# In this order, before the files that the manifest lists.
UNLISTED = (MANIFEST, SIGNATURE, KEY, SIGSTORE)
OBJECTS = "objects/sha256/"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:local-media-study-service:runtime-bundle:v1"
SIGSTORE_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json"
SAFE_NAME = re.compile(rb"(?=.{1,100}\Z)[a-z0-9][a-z0-9._-]*(?:/[a-z0-9][a-z0-9._-]*)*\Z", re.S)
BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?\Z")
CONTENT_ID = re.compile(rb"sha256:([a-f0-9]{64})")
DIGEST = re.compile(r"sha256:[a-f0-9]{64}\Z")
LARGEST_INTEGER = 2**53 - 1


class Fault(Exception):
    """The first thing that does not hold: the part, and the place in it."""

    def __init__(self, part, place):
        super().__init__("%s: %s" % (part, place))
        self.part = part


def sha256(data):
    return hashlib.sha256(data).hexdigest()


# ---- archive ----------------------------------------------------------------------------------------------------------


def header_of(name, size):
    """The one header that a host writes: POSIX ustar, without owner, time and mode of a machine."""

    def octal(value, width):
        return b"%0*o\0" % (width - 1, value)

    header = bytearray(BLOCK)
    header[0 : len(name)] = name
    fields = octal(0o644, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(0, 12)
    header[100 : 100 + len(fields)] = fields
    header[156:157] = b"0"
    header[257:265] = b"ustar\x0000"
    header[329:345] = octal(0, 8) + octal(0, 8)
    header[148:156] = b" " * 8
    header[148:156] = octal(sum(header), 7) + b" "
    return bytes(header)


def read_archive(data):
    """The files of an archive by their names, in their order."""
    if len(data) % BLOCK != 0:
        raise Fault("bundle", "the archive is not in whole blocks")
    files, at = {}, 0
    while True:
        header = data[at : at + BLOCK]
        if len(header) < BLOCK:
            raise Fault("bundle", "the archive is truncated")
        if header == bytes(BLOCK):
            break
        name = header[:100].rstrip(b"\0")
        size_text = header[124:136]
        if not SAFE_NAME.match(name) or not re.match(rb"[0-7]{11}\0\Z", size_text):
            raise Fault("bundle", "header at byte %d" % at)
        size = int(size_text[:11], 8)
        if header != header_of(name, size):
            raise Fault("bundle", "header at byte %d" % at)
        key = name.decode("ascii")
        if key in files:
            raise Fault("bundle", "%s is there twice" % key)
        begin = at + BLOCK
        end = begin + size
        at = begin + (size + BLOCK - 1) // BLOCK * BLOCK
        if at > len(data):
            raise Fault("bundle", "%s is cut" % key)
        if data[end:at].strip(b"\0"):
            raise Fault("bundle", "padding after %s" % key)
        files[key] = data[begin:end]
    if data[at:] != bytes(2 * BLOCK):
        raise Fault("bundle", "the end of the archive")
    return files


# ---- JSON -------------------------------------------------------------------------------------------------------------


def canonical(value):
    """Canonical JSON: keys in order, no white space, UTF-8. The files that are checked so have no fractions."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def parsed(data, part, place):
    def integer(text):
        value = int(text)
        if abs(value) > LARGEST_INTEGER:
            raise ValueError("a number that is not exact")
        return value

    def unique(pairs):
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a key is there twice")
        return found

    def refused(text):
        raise ValueError(text)

    try:
        text = data.decode("utf-8")
        return json.loads(text, parse_int=integer, parse_constant=refused, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise Fault(part, "%s: %s" % (place, error)) from error


def canonical_json(data, part, place, newline=True):
    value = parsed(data, part, place)
    try:
        same = canonical(value) + (b"\n" if newline else b"") == data
    except (UnicodeEncodeError, RecursionError) as error:
        raise Fault(part, "%s: %s" % (place, error)) from error
    if not same:
        raise Fault(part, "%s: canonical_form" % place)
    return value


def is_text(value):
    return isinstance(value, str)


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_digest(value):
    return is_text(value) and DIGEST.match(value) is not None


def demand(holds, part, place):
    if not holds:
        raise Fault(part, place)


def demand_fields(value, names, part, place):
    demand(isinstance(value, dict) and sorted(value) == sorted(names), part, place)


# ---- manifest and digests ---------------------------------------------------------------------------------------------


def read_manifest(files):
    """The manifest, which every other file of the bundle agrees with."""
    demand(MANIFEST in files, "bundle", "%s: missing" % MANIFEST)
    manifest = canonical_json(files[MANIFEST], "bundle", MANIFEST)
    demand_fields(manifest, ("schema", "runtimeId", "journalHead", "media", "files"), "bundle", MANIFEST)
    demand(manifest["schema"] == "studio.runtime-bundle.v1", "bundle", "%s: schema" % MANIFEST)
    demand(is_text(manifest["runtimeId"]), "bundle", "%s: runtimeId" % MANIFEST)
    head, media = manifest["journalHead"], manifest["media"]
    demand_fields(head, ("seq", "digest", "recordedAt"), "bundle", "%s: journalHead" % MANIFEST)
    demand_fields(media, ("contentId", "bytes", "included"), "bundle", "%s: media" % MANIFEST)
    demand(is_digest(media["contentId"]) and is_count(media["bytes"]), "bundle", "%s: media" % MANIFEST)
    demand(isinstance(media["included"], bool), "bundle", "%s: media" % MANIFEST)
    demand(isinstance(manifest["files"], list), "bundle", "%s: files" % MANIFEST)
    for file in manifest["files"]:
        demand_fields(file, ("path", "contentId", "bytes"), "bundle", "%s: files" % MANIFEST)
        known = is_text(file["path"]) and is_digest(file["contentId"]) and is_count(file["bytes"])
        demand(known, "bundle", "%s: files" % MANIFEST)
    return manifest


def check_digests(files, manifest):
    paths = [file["path"] for file in manifest["files"]]
    demand(paths == sorted(set(paths)), "bundle", "%s: files are not in the order of their paths" % MANIFEST)
    for file in manifest["files"]:
        path = file["path"]
        content = files.get(path)
        demand(content is not None and path not in UNLISTED, "bundle", "%s: missing" % path)
        demand(len(content) == file["bytes"], "bundle", "%s: size" % path)
        demand("sha256:" + sha256(content) == file["contentId"], "bundle", "%s: content" % path)
        if path.startswith(OBJECTS):
            demand(path == OBJECTS + file["contentId"][len("sha256:") :], "bundle", "%s: content" % path)
        else:
            demand(path in (CAPTIONS, JOURNAL, ROWS, SCHEMAS), "bundle", "%s: no record names it" % path)
    expected = [name for name in UNLISTED if name in files] + paths
    for name, wanted in zip(files, expected):
        demand(name in expected, "bundle", "%s: not in the manifest" % name)
        demand(name == wanted, "bundle", "%s: out of order" % name)
    demand(len(files) == len(expected), "bundle", "a file that is not in the manifest")
    for path in (JOURNAL, ROWS, SCHEMAS):
        demand(path in paths, "bundle", "%s: missing" % path)
    media = manifest["media"]
    media_path = OBJECTS + media["contentId"][len("sha256:") :]
    demand(media["included"] == (media_path in files), "bundle", "%s: media" % MANIFEST)
    if media["included"]:
        demand(len(files[media_path]) == media["bytes"], "bundle", "%s: media" % MANIFEST)


def check_named(files, manifest):
    """Each stored file is named by the rows, by the journal, or by a stored file that is."""
    objects = {name[len(OBJECTS) :]: content for name, content in files.items() if name.startswith(OBJECTS)}
    media = manifest["media"]["contentId"][len("sha256:") :]
    reached, waiting = set(), [files[ROWS], files[JOURNAL]]
    while waiting:
        for found in CONTENT_ID.findall(waiting.pop()):
            digest = found.decode("ascii")
            if digest in reached:
                continue
            reached.add(digest)
            # Media names nothing.
            if digest in objects and digest != media:
                waiting.append(objects[digest])
    for digest in objects:
        demand(digest in reached, "bundle", "%s%s: no record names it" % (OBJECTS, digest))


# ---- journal ----------------------------------------------------------------------------------------------------------


def check_journal(files, manifest):
    """The chain: SHA-256 of the run id, then of each digest and the event after it."""
    journal, run_id, head = files[JOURNAL], manifest["runtimeId"], manifest["journalHead"]
    demand(journal == b"" or journal.endswith(b"\n"), "journal", "the last event is cut")
    link = hashlib.sha256(run_id.encode("utf-8")).digest()
    last_time = None
    events = journal.split(b"\n")[:-1]
    for number, line in enumerate(events, 1):
        event = parsed(line, "journal", "event %d" % number)
        place = "event %d" % number
        demand(isinstance(event, dict), "journal", place)
        demand(event.get("seq") == number and event.get("runId") == run_id, "journal", place)
        time = event.get("recordedAt")
        demand(is_text(time) and (last_time is None or time >= last_time), "journal", "%s: recordedAt" % place)
        last_time = time
        link = hashlib.sha256(link + line).digest()
    demand(head["seq"] == len(events), "journal", "head.seq")
    demand(head["digest"] == link.hex(), "journal", "head.digest")
    demand(head["recordedAt"] == last_time, "journal", "head.recordedAt")


# ---- signature --------------------------------------------------------------------------------------------------------


def public_key(pem, part, place):
    """An Ed25519 key in the one PEM that it has, and its id: the digest of its DER."""
    try:
        key = load_pem_public_key(pem)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise Fault(part, place) from error
    demand(isinstance(key, Ed25519PublicKey), part, place)
    der = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return key, "sha256:" + sha256(der)


def statement_of(manifest):
    listed = [{"path": MANIFEST, "contentId": "sha256:" + sha256(canonical(manifest) + b"\n")}] + manifest["files"]
    return {
        "_type": STATEMENT_TYPE,
        "subject": [
            {"name": file["path"], "digest": {"sha256": file["contentId"][len("sha256:") :]}} for file in listed
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": {name: manifest[name] for name in ("runtimeId", "journalHead", "media")},
    }


def check_envelope(envelope, key, key_id, manifest):
    demand_fields(envelope, ("payloadType", "payload", "signatures"), "signature", "envelope")
    demand(envelope["payloadType"] == PAYLOAD_TYPE, "signature", "envelope.payloadType")
    signatures = envelope["signatures"]
    demand(isinstance(signatures, list) and len(signatures) == 1, "signature", "envelope.signatures")
    demand_fields(signatures[0], ("keyid", "sig"), "signature", "envelope.signatures.0")
    demand(signatures[0]["keyid"] == key_id, "signature", "envelope.signatures.0.keyid")
    for place, text in (("payload", envelope["payload"]), ("signatures.0.sig", signatures[0]["sig"])):
        demand(is_text(text) and BASE64.match(text) is not None, "signature", "envelope.%s" % place)
    payload = base64.b64decode(envelope["payload"])
    kind = PAYLOAD_TYPE.encode("ascii")
    signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    try:
        key.verify(base64.b64decode(signatures[0]["sig"]), signed)
    except InvalidSignature as error:
        raise Fault("signature", "envelope.signatures.0.sig") from error
    demand(payload == canonical(statement_of(manifest)), "signature", "statement")


def check_signature(files, manifest, trusted):
    """`unsigned`, `valid`, `trusted` or `untrusted`."""
    present = [name in files for name in (SIGNATURE, KEY)]
    if not any(present):
        demand(SIGSTORE not in files, "signature", "%s: missing" % SIGNATURE)
        return "unsigned"
    demand(all(present), "signature", "%s: missing" % (KEY if present[0] else SIGNATURE))
    key, key_id = public_key(files[KEY], "signature", KEY)
    pem = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    demand(pem == files[KEY], "signature", KEY)
    envelope = canonical_json(files[SIGNATURE], "signature", "envelope")
    check_envelope(envelope, key, key_id, manifest)
    if SIGSTORE in files:
        material = {
            "publicKey": {"hint": key_id},
            "tlogEntries": [],
            "timestampVerificationData": {"rfc3161Timestamps": []},
        }
        same = {"mediaType": SIGSTORE_TYPE, "verificationMaterial": material, "dsseEnvelope": envelope}
        demand(canonical(same) + b"\n" == files[SIGSTORE], "signature", SIGSTORE)
    if trusted is None:
        return "valid"
    return "trusted" if trusted == key_id else "untrusted"


# ---- captions ---------------------------------------------------------------------------------------------------------


def check_captions(files, captions):
    """Which captions file of the bundle has these bytes; None if it lists no such file."""
    if CAPTIONS not in files:
        return None
    listed = canonical_json(files[CAPTIONS], "bundle", CAPTIONS).get("files", [])
    content_id = "sha256:" + sha256(captions)
    for file in listed:
        if file.get("contentId") == content_id:
            return "%s, %s side, lines %s" % (file.get("name"), file.get("side"), file.get("lines"))
    return None


# ---- the whole --------------------------------------------------------------------------------------------------------


def verify(data, trusted=None):
    """Checks the bytes of a bundle. Returns its manifest and the state of its signature; raises `Fault`."""
    files = read_archive(data)
    manifest = read_manifest(files)
    check_digests(files, manifest)
    signature = check_signature(files, manifest, trusted)
    rows = parsed(files[ROWS], "bundle", ROWS)
    demand(isinstance(rows, dict), "bundle", ROWS)
    check_journal(files, manifest)
    check_named(files, manifest)
    return files, manifest, signature


def verdict(path, trusted, captions):
    """One line about a bundle, and the exit code for it."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        files, manifest, signature = verify(data, trusted)
        line = "intact: %s, signature %s" % (manifest["runtimeId"], signature)
        code = 4 if trusted is not None and signature != "trusted" else 0
        if captions is not None:
            form = check_captions(files, captions)
            line += "; captions: %s" % (form or "not listed in this bundle")
            code = code if form else 4
        return line, code
    except Fault as fault:
        return "damaged: %s" % fault, 1


def main():
    parser = argparse.ArgumentParser(description="Verifies bundles of studies.")
    parser.add_argument("--trust", metavar="KEY.pem", help="the public key that must have signed the bundles")
    parser.add_argument("--captions", metavar="FILE", help="says whether the bundles list this captions file")
    parser.add_argument("bundles", nargs="+", metavar="BUNDLE")
    given = parser.parse_args()
    trusted = captions = None
    try:
        if given.trust is not None:
            with open(given.trust, "rb") as file:
                trusted = public_key(file.read(), "key", given.trust)[1]
        if given.captions is not None:
            with open(given.captions, "rb") as file:
                captions = file.read()
        found = [verdict(path, trusted, captions) for path in given.bundles]
    except (OSError, Fault) as error:
        parser.exit(2, "%s\n" % error)
    for path, (line, _) in zip(given.bundles, found):
        print("%s: %s" % (path, line) if len(found) > 1 else line)
    codes = [code for _, code in found]
    sys.exit(1 if 1 in codes else max(codes))


if __name__ == "__main__":
    main()
