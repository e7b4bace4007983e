"""Operations that a walk need not bring to a success with an id that an answer gave, and why."""

HOME = "it works on what one has written at home, where the walker may read and not write"
UNOFFERED = "it is not offered: of a key only a digest is kept"

LISTED = {
    HOME: (
        "POST /agent-memory/v1/conversations/{talk}/messages",
        "POST /agent-memory/v1/conversations/{talk}/messages/bulk",
        "PUT /agent-memory/v1/conversations/{talk}",
        "DELETE /agent-memory/v1/conversations/{talk}",
        "GET /agent-memory/v1/reasoning/trace/{talk}",
        "GET /agent-memory/v1/reasoning/explain/{step}",
    ),
    UNOFFERED: ("GET /agent-memory/v1/auth/api-keys/{key_id}/reveal",),
}
EXCUSED = {label: reason for reason, labels in LISTED.items() for label in labels}
