"""Secrets in the forms in which files, shells, requests and sentences hold them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

_HEX = "9f86d081884c7d659a2feaa0c55ad015"
_MIXED = "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA"
AWS = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY"
AZURE = "aB3+/x" * 14 + "Qz=="

# What a secret is called, and one; each is called so in files of settings.
NAMED = (
    ("AWS_SECRET_ACCESS_KEY", AWS),
    ("aws_secret_access_key", AWS),
    ("AWS_SECRET_KEY", AWS),
    ("secretAccessKey", AWS),
    ("AZURE_STORAGE_KEY", AZURE),
    ("AccountKey", AZURE),
    ("SECRET_KEY", "x8kd93kdlsd93kd2"),
    ("DJANGO_SECRET_KEY", "x8!kd93kdlsd93kd2"),
    ("SECRET_KEY_BASE", _HEX),
    ("JWT_SECRET", _HEX),
    ("ACCESS_KEY", _MIXED),
    ("PRIVATE_KEY", _HEX),
    ("ENCRYPTION_KEY", _MIXED),
    ("SIGNING_KEY", _MIXED),
    ("client_secret", _MIXED),
    ("clientSecret", _MIXED),
    ("API_KEY", _MIXED),
    ("OPENWEATHER_API_KEY", _HEX),
    ("apiKey", _MIXED),
    ("access_token", _MIXED),
    ("AUTH_TOKEN", _HEX),
    ("DB_PASSWORD", "hunter22"),
    ("MYSQL_ROOT_PASSWORD", "S3cr3t!pass"),
    ("password", "hunter22"),
    ("passwort", "Geheim-2024!"),
    ("PGPASSWORD", "kV9-mond-7"),
    ("SMTP_PASS", "kV9-mond-7"),
    ("db_pwd", "kV9-mond-7"),
    ("WEBHOOK_SECRET", _HEX),
)
# How a name and its value stand in files, commands and requests.
FILES = {
    "env": "{n}={v}",
    "env after others": "[default]\nregion=eu-central-1\n{n}={v}\noutput=json",
    "env quoted": '{n}="{v}"',
    "env single quotes": "{n}='{v}'",
    "export": "export {n}={v}",
    "export quoted": 'export {n}="{v}"',
    "shell before a command": "{n}={v} ./run --fast",
    "fish": "set -x {n} {v}",
    "cmd": "set {n}={v}",
    "setx": 'setx {n} "{v}"',
    "PowerShell": '$env:{n} = "{v}"',
    "YAML": "server:\n  {n}: {v}\n  port: 80",
    "YAML quoted": '  {n}: "{v}"',
    "YAML single quotes": "  {n}: '{v}'",
    "JSON": '{{"region": "eu", "{n}": "{v}"}}',
    "JSON tight": '{{"{n}":"{v}","port":80}}',
    "TOML": '{n} = "{v}"',
    "INI": "[s]\n{n} = {v}",
    "properties": "app.{n}={v}",
    "HCL": 'variables {{\n  {n} = "{v}"\n}}',
    "URL": "https://example.org/a?x=1&{n}={v}&y=2",
    "URL first": "https://example.org/a?{n}={v}",
    "URL escaped": "https://example.org/a?{n}%3D{v}",
    "Dockerfile": "FROM x\nENV {n} {v}\nRUN y",
    "Dockerfile =": "ENV {n}={v}",
    "Dockerfile ARG": "ARG {n}={v}",
    "docker -e": "docker run -e {n}={v} image",
    "docker --env": "docker run --env={n}={v} image",
    "compose list": "environment:\n  - {n}={v}\n  - TZ=UTC",
    "compose list quoted": 'environment:\n  - "{n}={v}"',
    "compose map": "environment:\n  {n}: {v}",
    "flag =": "tool --{n}={v} --fast",
    "flag = quoted": "tool --{n}='{v}'",
    "flag": "tool --{n} {v} --fast",
    "helm": "helm install x y --set auth.{n}={v}",
    "kubernetes": "env:\n  - name: {n}\n    value: {v}",
    "kubernetes quoted": 'env:\n  - name: {n}\n    value: "{v}"',
    "terraform map": '"{n}" : "{v}"',
    "Python": 'os.environ["{n}"] = "{v}"',
    "Python dict": "{{'{n}': '{v}'}}",
    "Python argument": 'Client({n}="{v}", timeout=3)',
    "JavaScript": "process.env.{n} = '{v}';",
    "JavaScript object": "{{ {n}: '{v}', port: 80 }}",
    "Ruby": ':{n} => "{v}"',
    "PHP": "define('{n}', '{v}');",
    "Go": '{n} := "{v}"',
    "XML": "<{n}>{v}</{n}>",
    "XML attributes": '<add key="{n}" value="{v}" />',
    "curl -d": "curl -d '{n}={v}' https://example.org",
    "header": "X-{n}: {v}",
    "Makefile": "{n} ?= {v}",
    "wide colon": "{n}\uff1a{v}",
    "entity": "{n}&#61;{v}",
    "HTML": "<code>{n}={v}</code>",
    "Markdown": "`{n}={v}`",
    "log": "2026-01-01 INFO starting with {n}={v}, port=80",
}
# Whole pieces, with the secret that must be gone.
WHOLE = (
    (
        "aws configure",
        f"aws configure set aws_secret_access_key {AWS}",
        AWS,
    ),
    ("netrc", "machine example.org login anna password hunter22", "hunter22"),
    ("netrc lines", "machine example.org\n  login anna\n  password hunter22", "hunter22"),
    ("npmrc", f"//packages.example.org/:_authToken={_HEX}", _HEX),
    ("curl -u", "curl -u anna:hunter22 https://example.org", "hunter22"),
    ("curl --user", "curl -s --user 'anna:hunter22' https://example.org", "hunter22"),
    ("SAS", "https://x.blob.example/c?sv=2022&sig=aB3dE6gH9jK2mN5pQ8rS1tU4vW7%3D", "aB3dE6"),
    ("Token", f"Authorization: Token {_HEX}", _HEX),
    ("header quoted", f"-H 'X-Api-Key: {_HEX}'", _HEX),
    ("Docker", f"dckr_pat_{_MIXED[:27]}", _MIXED[:27]),
    ("Slack app", "xapp-1-A012345678-0123456789012-abcdef0123456789", "abcdef0123456789"),
    (
        "Discord",
        f"https://discord.com/api/webhooks/123456789012345678/{_MIXED}{_MIXED}",
        _MIXED,
    ),
    ("PyPI", f"pypi-AgEIcHlwaS5vcmc{_MIXED}{_MIXED}", _MIXED),
    ("Telegram", f"123456789:AA{_MIXED}x", _MIXED),
    ("Vault", f"hvs.{_MIXED}", _MIXED),
    ("age", "AGE-SECRET-KEY-1" + "Q2Z7" * 14 + "QZ", "Q2Z7Q2Z7"),
    ("quoted blanks", 'PASSWORD="correct horse 42 battery"', "battery"),
    ("en", f"The AWS secret access key is {AWS}.", AWS),
    ("en =", f"She set aws_secret_access_key={AWS} on the server yesterday.", AWS),
    ("en password", "The password for the router is hunter22.", "hunter22"),
    ("en login", "Log in as anna with the password hunter-22.", "hunter-22"),
    ("de", f"Der geheime AWS-Schlüssel lautet {AWS}.", AWS),
    ("de =", f"Auf dem Server steht AWS_SECRET_ACCESS_KEY={AWS}, bitte ändern.", AWS),
    ("de Passwort", "Das Passwort für den Router lautet hunter22.", "hunter22"),
    ("de Schlüssel", f"API-Schlüssel: {_HEX}", _HEX),
    ("de mit", "Melde dich mit dem Passwort hunter-22 an.", "hunter-22"),
)  # fmt: skip


class Form(NamedTuple):
    """A text in a form, and the secret in it."""

    form: str
    name: str
    text: str
    secret: str

    def told(self, stored: str) -> bool:
        """Whether six characters of the secret in a row, or no placeholder, stand in `stored`."""
        runs = (self.secret[at : at + 6] for at in range(max(1, len(self.secret) - 5)))
        return "[secret]" not in stored or any(run in stored for run in runs)


def forms() -> Iterator[Form]:
    """Every name in every form, and the whole pieces."""
    for form, text in FILES.items():
        for name, value in NAMED:
            yield Form(form, name, text.format(n=name, v=value), value)
    for form, text, secret in WHOLE:
        yield Form(form, form, text, secret)


# Settings, code and talk in which nothing is secret.
HARMLESS = (
    "SECRET_NAME=app/prod/db",
    "AWS_SECRET_ID=prod/db",
    "api_key_header: X-Api-Key",
    "password: str",
    "password: str | None = None",
    "secret: true",
    'SECRET_KEY = os.environ["SECRET_KEY"]',
    "private_key: /etc/ssl/private/server1.pem",
    "PRIVATE_KEY=/etc/ssl/private/server1.pem",
    "--private-key=/etc/ssl/private/server1.pem",
    "--token string   the token to use",
    "--password-file /run/secrets/db1",
    "--secret-name app2 --fast",
    "primary_key=True, foreign_key='users.id2'",
    "The key is under the mat, the access key to the roof hangs in room 12b.",
    "Der Schlüssel liegt unter der Matte, der Zugang ist in Raum 12b.",
    "sha=wJalrXUtnFEMI1K7MDENG1bPxRfiCYzz of the secret sharing paper",
    "The secret of the pass is told on page 12, the password manager costs 3.99.",
    'max_tokens=4096, "input_tokens": input_tokens, token = "{%s}", pwd=None',
    "const token = null; let secret = undefined;",
    "cache_key=user12:profile34, sort_key: created2024, partition_key=tenant42",
    "public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl",
    "machine learning login page password reset",
    "curl -u is for a user, curl https://example.org:8080/a1",
    "<token>string</token> <password>see below</password>",
    "env:\n  - name: LOG_LEVEL\n    value: debug1",
    "- name: SECRET_KEY\n  valueFrom:\n    secretKeyRef:\n      name: app1",
    "{{ secrets.AWS_SECRET_ACCESS_KEY }} and ${{ secrets.API_KEY_2 }}",
    "git commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b holds the secret sauce",
    "compass=north12, bypass=never12, surpass: all4one",
    "The password has 12 characters; ein Passwort mit 12 Zeichen; the token expires in 30d.",
    "access key ID and secret access key are two things; Zugriffsschlüssel haben zwei Teile.",
    "define('WP_DEBUG', 'true12'); setx PATH C:\\bin2",
    "ENV PYTHON_VERSION 3.11.2\nARG NODE_VERSION=20.1",
)  # fmt: skip
