#!/usr/bin/env python3
"""A person with a browser, for clients that want one: signs in, reads the consent page and decides.

    browser.py URL [--deny] [--stay]

Follows redirects with a cookie jar, fills in the forms of the pages by their names, and in the end goes to the client's
redirect URI (unless --stay) and prints it. The person is $PERSON with $PASSWORD.
"""

import html.parser
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


class Forms(html.parser.HTMLParser):
    """The first form of a page: where it goes, its fields, and its buttons."""

    def __init__(self, text):
        super().__init__()
        self.action = None
        self.fields = {}
        self.buttons = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "form" and self.action is None:
            self.action = given["action"]
        elif tag == "input":
            self.fields[given["name"]] = given.get("value") or ""
        elif tag == "button" and given.get("name"):
            self.buttons.append((given["name"], given["value"]))


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Browser:
    def __init__(self, person, password):
        self.person, self.password = person, password
        self.opener = urllib.request.build_opener(Stay, urllib.request.HTTPCookieProcessor())

    def open(self, url, fields=None):
        """(status, where it leads, text) of one request."""
        data = urllib.parse.urlencode(fields).encode() if fields is not None else None
        try:
            answer = self.opener.open(url, data, timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        text = answer.read().decode(errors="replace")
        return answer.status, answer.headers.get("Location"), text

    def decide(self, url, decision="approve"):
        """The redirect URI with its answer."""
        origin = urllib.parse.urlsplit(url)[:2]
        status, location, text = self.open(url)
        for _ in range(8):
            if location:
                url = urllib.parse.urljoin(url, location)
                if urllib.parse.urlsplit(url)[:2] != origin or not urllib.parse.urlsplit(url).path.startswith("/mcp/oauth/"):
                    return url
                status, location, text = self.open(url)
                continue
            if status != 200:
                raise AssertionError(f"{url} answered {status}: {text}")
            page = Forms(text)
            if "password" in page.fields:
                page.fields.update(user=self.person, password=self.password)
            elif ("decision", decision) in page.buttons:
                page.fields["decision"] = decision
            else:
                raise AssertionError(f"a page without a way on: {text}")
            url = urllib.parse.urljoin(url, page.action)
            status, location, text = self.open(url, page.fields)
        raise AssertionError("the pages lead nowhere")


def go_to(url, seconds=30):
    """The client's redirect URI. Some open the browser before they listen there; a person would load the page again."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return urllib.request.urlopen(url, timeout=30).read()
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionRefusedError) or time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def main():
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    url = next(word for word in sys.argv[1:] if not word.startswith("--"))
    browser = Browser(os.environ["PERSON"], os.environ["PASSWORD"])
    there = browser.decide(url, "deny" if "--deny" in options else "approve")
    print(there)
    if "--stay" not in options:
        go_to(there)


if __name__ == "__main__":
    main()
