"""Mail of public test suites: what tegula reads of each message beside what Python's `email` and `mailbox` read.

FOLDER has `mikel-mail` (github.com/mikel/mail), `MimeKit` (github.com/jstedfast/MimeKit) and `mail-parser`
(github.com/stalwartlabs/mail-parser). Python is the yardstick for messages as the standards have them; of broken
ones it often reads less (crates/tegula-io/FORMATS.md says of what).
"""

import collections
import email
import email.policy
import email.utils
import html.parser
import json
import mailbox
import pathlib
import re
import tempfile

from program import run

# A suite's messages, as patterns under its folder; those of mailboxes.
SUITES = {
    "mikel-mail": (["spec/fixtures/emails/**/*.eml"], []),
    "MimeKit": (
        ["UnitTests/TestData/messages/*.eml", "UnitTests/TestData/messages/*.msg", "UnitTests/TestData/partial/*.eml",
         "UnitTests/TestData/tnef/*.eml", "UnitTests/TestData/smime/*.eml", "UnitTests/TestData/openpgp/*.eml"],
        ["UnitTests/TestData/mbox/*.mbox.txt"],
    ),
    "mail-parser": (["resources/eml/**/*.eml", "resources/maildir/cur/*", "resources/maildir/new/*"], []),
}
# What tegula takes for files (crates/tegula-io/FORMATS.md).
FILES = ("message/partial", "message/delivery-status", "text/rfc822-headers")
FIELDS = ["date", "subject", "message-id"]


class Text(html.parser.HTMLParser):
    """The text of a page."""

    def __init__(self):
        super().__init__()
        self.out, self.hidden = [], 0

    def handle_starttag(self, tag, attrs):
        self.hidden += tag in ("script", "style", "title", "template")
        self.out.append(" ")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style", "title", "template") and self.hidden > 0
        self.out.append(" ")

    def handle_data(self, data):
        if not self.hidden:
            self.out.append(data)


def tokens(text):
    return collections.Counter(re.findall(r"\w+", text.lower()))


def content(part):
    """The text of a part as Python decodes it."""
    raw = part.get_payload(decode=True) or b""
    for charset in (part.get_content_charset(), "utf-8", "cp1252", "latin-1"):
        try:
            text = raw.decode(charset or "ascii")
            break
        except (LookupError, UnicodeDecodeError):
            continue
    if part.get_content_subtype() == "html":
        page = Text()
        page.feed(text)
        page.close()
        text = "".join(page.out)
    return text


def texts(part, prefer):
    """The texts of a message: each alternative once, the preferred form if there is one."""
    kind = part.get_content_type()
    if part.get_content_disposition() == "attachment" or kind in FILES:
        return []
    if part.is_multipart():
        parts = part.get_payload()
        if kind == "multipart/alternative":
            found = [(texts(one, prefer), one) for one in parts]
            found = [(text, one) for text, one in found if "".join(text).strip()]
            preferred = [text for text, one in found if one.get_content_type() == prefer]
            return (preferred or [text for text, _ in found] or [[]])[0]
        return [text for one in parts for text in texts(one, prefer)]
    return [content(part)] if kind in ("text/plain", "text/html") else []


def theirs(raw):
    """What Python reads of a message: its fields and the two readings of its text."""
    message = email.message_from_bytes(raw, policy=email.policy.compat32)
    decoded = email.message_from_bytes(raw, policy=email.policy.default)

    def field(name):
        try:
            value = decoded[name]
        except Exception:
            value = message[name]
        return None if value is None else " ".join(str(value).split())

    date = message["date"]
    try:
        date = email.utils.parsedate_to_datetime(str(date)).timestamp() if date else None
    except (ValueError, TypeError, OverflowError, IndexError):
        date = None
    ident = field("message-id")
    try:
        readings = [tokens("\n".join(texts(message, kind))) for kind in ("text/plain", "text/html")]
    except Exception as error:
        readings = [error]
    return {"date": date, "subject": field("subject") or None, "message-id": ident.strip("<> ") if ident else None}, readings


def ours(row):
    """The same fields of a row that tegula wrote."""
    date = row.get("date")
    try:
        date = email.utils.parsedate_to_datetime(date).timestamp() if date and "," in date else date
        if isinstance(date, str):
            import datetime
            date = datetime.datetime.fromisoformat(date.replace("Z", "+00:00")).timestamp()
    except ValueError:
        date = None
    text = row["text"]
    text = "" if re.fullmatch(r"(sha256:[0-9a-f]{64}\n?)+", text) else text
    return {"date": date, "subject": row.get("subject") or None, "message-id": (row.get("message-id") or "").strip("<> ") or None}, tokens(text)


def read(tegula, path, form, folder):
    """The rows that tegula reads, and how it ended."""
    out = folder / "out.jsonl"
    out.unlink(missing_ok=True)
    reading = ["--format", form, "--recipe", "exact", "--on-bad-record", "skip"]
    ended = run(tegula, "mark", path, "-o", out, *reading, "-q", "--overwrite")
    if not out.exists() or ended.code in ("panic", "hang"):
        return [], ended.first_line()
    return [json.loads(line) for line in out.read_text().splitlines()], ""


class Tally:
    """Counts over the messages of a suite."""

    def __init__(self, suite):
        self.suite = suite
        self.files = self.found = self.expected = 0
        self.equal, self.more = collections.Counter(), collections.Counter()
        self.tokens = [0, 0]
        self.low, self.ended, self.differing = [], [], []

    def say(self, name, *what):
        self.differing.append(" ".join(map(str, [name, *what])))

    def message(self, name, row, raw):
        mine, words = ours(row)
        other, readings = theirs(raw)
        for field in FIELDS:
            if mine[field] == other[field]:
                self.equal[field] += 1
            else:
                # Python finds nothing there.
                self.more[field] += other[field] is None
                self.say(name, field, mine[field], other[field])
        if isinstance(readings[0], Exception):
            self.say(name, "tokens", "-", readings[0])
            return
        shares = [(sum((words & reading).values()), sum(reading.values())) for reading in readings]
        found, of = max(shares, key=lambda share: share[0] / share[1] if share[1] else 1)
        self.tokens[0] += found
        self.tokens[1] += of
        if found < 0.95 * of:
            self.low.append(name)
            self.say(name, "tokens", found, of)

    def file(self, name, found, raws, ended):
        self.files += 1
        self.found += len(found)
        self.expected += len(raws)
        if ended:
            self.ended.append(f"{name}: {ended}")
            self.say(name, "ended", ended)
        if len(found) != len(raws):
            self.say(name, "messages", len(found), len(raws))
            return
        for number, (row, raw) in enumerate(zip(found, raws), 1):
            self.message(f"{name}#{number}" if len(raws) > 1 else name, row, raw)

    def rows(self):
        def row(what, ours, theirs, note=""):
            return {"suite": self.suite, "what": what, "ours": ours, "theirs": theirs, "note": note}

        yield row("files", self.files - len(self.ended), self.files, "; ".join(self.ended))
        yield row("messages", self.found, self.expected, "; ".join(["", *self.differing]))
        for field in FIELDS:
            more = self.more[field]
            yield row(f"equal: {field}", self.equal[field], self.expected, f"{more} only by tegula" if more else "")
        found, of = self.tokens
        share = f"{100 * found / of:.2f} % of their tokens" if of else ""
        low = f"; below 95 %: {len(self.low)}" if self.low else ""
        yield row("tokens", found, of, share + low)


def check(folder, tegula):
    """The rows of all suites in a folder."""
    rows = []
    for suite, (files, boxes) in SUITES.items():
        root = pathlib.Path(folder) / suite
        if not root.is_dir():
            continue
        tally = Tally(suite)
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            for pattern in files:
                for path in sorted(path for path in root.glob(pattern) if path.is_file()):
                    found, ended = read(tegula, path, "eml", scratch)
                    tally.file(str(path.relative_to(root)), found, [path.read_bytes()], ended)
            for pattern in boxes:
                for path in sorted(root.glob(pattern)):
                    found, ended = read(tegula, path, "mbox", scratch)
                    box = mailbox.mbox(path, create=False)
                    raws = [box.get_bytes(key) for key in box.keys()]
                    tally.file(str(path.relative_to(root)), found, raws, ended)
        rows += tally.rows()
    return rows
