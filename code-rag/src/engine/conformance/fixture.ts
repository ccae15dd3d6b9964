/** A small repository in which every retrieval rule has something to decide. */
export const FIXTURE: Readonly<Record<string, string>> = {
  "src/session.py": `from src.cookies import merge_cookies, CookieJar


class Session:
    """Keeps a connection's state between requests."""

    def __init__(self):
        self.cookies = CookieJar()
        self.secret = None

    # Asks the server for another credential before the old one runs out.
    def refresh_token(self, grace):
        self.secret = self.post("/refresh", grace)
        return self.secret

    def send(self, request):
        merge_cookies(self.cookies, request.cookies)
        return request.deliver(self.secret)
`,
  "src/cookies.py": `"""Cookies that survive redirects."""


class CookieJar(dict):
    """A mapping of names to crumbs."""

    def expire(self, now):
        for name in [n for n, c in self.items() if c.until < now]:
            del self[name]


def merge_cookies(jar, other):
    """Adds the second jar's crumbs to the first."""
    jar.update(other)
    return jar
`,
  "src/__init__.py": "from src.session import Session\nfrom src.cookies import CookieJar, merge_cookies\n",
  "tests/test_session.py": `from src.session import Session


def test_refresh_token_before_expiry():
    session = Session()
    assert session.refresh_token(30) == session.refresh_token(30)


def test_refresh_token_twice():
    session = Session()
    session.refresh_token(1)
    session.refresh_token(2)
`,
  "docs/guide.md": `# Guide

## Installation

Run the installer and follow its questions about certificates and proxies.

## Tokens

A token lives for an hour. 検索機能 is described elsewhere.
`,
};
