"""Settings: read from the environment once, at an entry point, and passed on.

Variables start with `LOCI_` and use two underscores between group and field
(`LOCI_API__PORT=9000`). Connections also answer to the names that everyone uses: `NEO4J_URI`,
`NEO4J_USER`, `NEO4J_PASSWORD`, `NEO4J_DATABASE`, `REDIS_URL`, `OPENAI_API_KEY` and the like.
An unknown variable with our prefix is an error, so that a typing slip is not a silent default. An
empty one counts as unset, as compose files and CI systems pass what nobody has filled in.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import orjson
import platformdirs
from cronsim import CronSim, CronSimError
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from app.errors import InvalidInput

PREFIX = "LOCI_"
GRAPH_SCHEMES = ("bolt://", "bolt+s://", "bolt+ssc://", "neo4j://", "neo4j+s://", "neo4j+ssc://")
REDIS_SCHEMES = ("redis://", "rediss://", "unix://")


class Group(BaseModel):
    """A group of settings; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _graph_uri(value: str) -> str:
    if not value.startswith(GRAPH_SCHEMES):
        raise ValueError(f"{value!r} is no address of a Neo4j: it starts with bolt:// or neo4j://")
    return value


def _redis_url(value: str) -> str:
    # The value is not repeated: it may hold a password.
    if not value.startswith(REDIS_SCHEMES):
        raise ValueError("no address of a Valkey or Redis: it starts with redis:// or rediss://")
    return value


def _cron(value: str) -> str:
    try:
        CronSim(value, datetime.now(UTC))
    except CronSimError as error:
        raise ValueError(f"{value!r} is no cron expression") from error
    return value


def _timezone(value: str) -> str:
    try:
        return ZoneInfo(value).key
    except (KeyError, ValueError, OSError):
        raise ValueError(f"{value!r} is no time zone, such as UTC or Europe/Berlin") from None


class GraphSettings(Group):
    uri: Annotated[str, AfterValidator(_graph_uri)] = Field(
        "bolt://127.0.0.1:7687", description="Bolt or neo4j URI; Aura's too."
    )
    user: str = Field("neo4j", description="Database user.")
    password: str = Field("", description="Database password.", repr=False)
    database: str | None = Field(None, description="Database name; the server's default if unset.")
    pool: int = Field(50, ge=2, description="Most connections of one process.")


class RedisSettings(Group):
    url: Annotated[str, AfterValidator(_redis_url)] = Field(
        "redis://127.0.0.1:6379/0", description="Valkey or Redis URL.", repr=False
    )
    queue: str = Field("loci", description="Name of the arq queue.")


class ModelSettings(Group):
    provider: Literal["e5", "openai", "cohere", "gemini", "jina", "ollama", "voyage", "hash"] = (
        Field("e5", description="`e5` runs offline; `hash` is for tests only.")
    )
    model: str | None = Field(
        None, description="Model name at the provider; some providers have a usual one."
    )
    dimension: int | None = Field(
        None,
        ge=1,
        description="Vector length, where it can be chosen, or where the model is not a known one.",
    )
    base_url: str | None = Field(
        None, description="Base URL of an OpenAI-compatible endpoint, or another one's own."
    )
    api_key: str | None = Field(None, description="Key of the provider.", repr=False)
    threads: int = Field(2, ge=1, le=64, description="Threads that embed documents.")


def _parsed(value: Any) -> Any:
    """What stands in the environment as JSON; ValueError on what is none."""
    return orjson.loads(value) if isinstance(value, str) else value


ModelName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]


class EmbeddingSettings(ModelSettings):
    batch: int = Field(64, ge=1, le=2048, description="Texts taken by one embedding job step.")
    near_duplicate: float = Field(
        0.95,
        ge=0.0,
        le=1.0,
        description="Similarity, calibrated, from which an episode is flagged as a near repeat of "
        "another one of its scope; 0 looks for none.",
    )
    allow_test: bool = Field(False, description="Lets the hash embedder be built, in tests.")
    cache: Path | None = Field(None, description="Folder of the converted model.")
    further: Annotated[dict[ModelName, ModelSettings], BeforeValidator(_parsed)] = Field(
        {}, description="Further models by name (JSON), which scopes may be switched to."
    )


class LlmSettings(Group):
    model: str | None = Field(
        None, description="Model that reads after the rules; unset, no text is sent anywhere."
    )
    base_url: str | None = Field(
        None, description="Base URL of an OpenAI-compatible endpoint; OpenAI's own if unset."
    )
    api_key: str | None = Field(None, description="Key of the endpoint.", repr=False)
    timeout_seconds: float = Field(60.0, gt=0, le=3600, description="Longest wait for one answer.")
    deadline_seconds: float = Field(
        180.0, gt=0, le=7200, description="Longest time for one text, with all attempts."
    )
    retries: int = Field(
        3, ge=0, le=10, description="Attempts after 429, 5xx and lost connections."
    )
    answer_tokens: int = Field(3000, ge=64, le=32_000, description="Most tokens of one answer.")
    temperature: float | None = Field(
        None, ge=0, le=2, description="Sent where set; 0 suits most local models."
    )
    stream: bool = Field(
        False,
        description="Take answers word by word; the longest wait is then for the next word, as "
        "suits a slow model of one's own.",
    )
    budget_tokens: int = Field(
        500_000, ge=0, description="Tokens that one scope may use in a day (UTC)."
    )
    concurrency: int = Field(2, ge=1, le=64, description="Windows asked about at once.")
    max_chars: int = Field(
        12_000,
        ge=1,
        le=200_000,
        description="Most characters of a window; a longer text is left to the rules.",
    )
    patience_seconds: float = Field(
        15.0,
        ge=0,
        le=3600,
        description="How long a turn waits for those said soon after it, to be read in one call.",
    )


class ApiSettings(Group):
    host: str = Field("127.0.0.1", description="Address that the API listens on.")
    port: int = Field(8484, ge=1, le=65535, description="Port that the API listens on.")
    max_body: int = Field(1_048_576, ge=1024, description="Largest request body, in bytes.")
    rate_per_minute: int = Field(6000, ge=1, description="Requests a key may send in a minute.")
    key_cache_seconds: float = Field(
        2.0, ge=0, le=60, description="How long a process trusts a key it has looked up."
    )
    import_dir: Path | None = Field(
        None, description="Where imports and exports lie; shared by API and worker."
    )
    max_upload: int = Field(536_870_912, ge=1024, description="Largest upload, in bytes.")
    event_seconds: float = Field(
        3600.0, ge=1, description="Seconds after which a stream of events ends; clients come back."
    )
    transactions: int = Field(
        4,
        ge=1,
        description="Transactions of one process at once where one tenant asks; several tenants "
        "share half of them.",
    )
    graphql_depth: int = Field(15, ge=1, le=30, description="Deepest GraphQL query, in fields.")
    graphql_cost: int = Field(
        50_000, ge=100, description="Most values that a GraphQL query may ask for."
    )


class WorkerSettings(Group):
    concurrency: int = Field(4, ge=1, description="Jobs that run at once in one worker.")
    transactions: int = Field(
        2, ge=1, description="Transactions of one worker at once; the rest of Neo4j is for readers."
    )
    rest: float = Field(
        2.0,
        ge=0,
        le=20,
        description="How many times as long as a long transaction took the worker rests after it "
        "while somebody waits for an answer; 0 never.",
    )
    nice: int = Field(
        10, ge=0, le=19, description="How far the worker's processes stand back for others' CPU."
    )
    timezone: Annotated[str, AfterValidator(_timezone)] = Field(
        "UTC", description="Time zone of the schedules."
    )
    max_tries: int = Field(5, ge=1, description="Attempts before a job is a dead letter.")
    sweep_seconds: int = Field(15, ge=1, description="How often lost work is looked for.")
    lease_seconds: int = Field(
        120,
        ge=2,
        description="How long after its worker's last sign of life a job waits for another worker.",
    )


class SearchSettings(Group):
    depth: int = Field(100, ge=10, le=1000, description="Candidates taken from each leg.")
    expansion: int = Field(5, ge=1, le=100, description="Search expansion of the vector index.")
    quantization: Literal["NONE", "SCALAR", "BINARY"] = Field(
        "NONE", description="How the vector index stores vectors."
    )
    at_once: int = Field(
        4,
        ge=2,
        description="Searches of one process that are under way at once where one tenant asks; "
        "several tenants share half of them.",
    )
    graph_mb: int = Field(
        512, ge=1, description="Most memory for the graphs that searches walk, in MiB."
    )
    graph_wait_ms: int = Field(
        300, ge=0, description="How long a search waits for a graph that is not in memory yet."
    )
    synonyms: bool = Field(
        False,
        description="Compares names by vectors, so that a walk goes on from one to one that reads "
        "alike; a vector for each name that texts hold.",
    )
    hyde: bool = Field(
        False, description="Lets a request search by a passage that the language model imagines."
    )
    hyde_seconds: float = Field(
        10.0, gt=0, le=120, description="How long a search waits for such a passage."
    )
    questions_kept_days: int = Field(
        90, ge=1, le=3650, description="How long the records of questions are kept."
    )


class RerankerSettings(Group):
    url: str | None = Field(
        None, description="Whole address of a reranker's endpoint; unset, none is asked."
    )
    model: str | None = Field(None, description="Name of the model there.")
    api_key: str | None = Field(None, description="Key of the endpoint.", repr=False)
    shape: Literal["common", "voyage", "tei"] = Field(
        "common",
        description="Form of the request: `common` (Cohere, Jina, vLLM, llama.cpp), Voyage's, or "
        "that of Text Embeddings Inference.",
    )
    timeout_seconds: float = Field(
        5.0, gt=0, le=120, description="How long a search waits for its answer."
    )


class DocumentSettings(Group):
    max_size: int = Field(52_428_800, ge=1024, description="Largest document, in bytes.")
    max_pages: int = Field(2000, ge=1, description="Most pages of a PDF.")
    max_characters: int = Field(
        4_000_000, ge=1000, description="Longest text of a document, in characters."
    )
    max_unpacked: int = Field(
        209_715_200, ge=1024, description="Most bytes that a Word file may unpack to."
    )
    parse_seconds: int = Field(
        60, ge=1, le=3600, description="Most processor time for reading one document."
    )
    parse_memory_mb: int = Field(
        1024, ge=256, description="Most memory of the process that reads a document, in MiB."
    )
    fetch_seconds: float = Field(
        30.0, gt=0, le=600, description="Longest time for fetching a document by its address."
    )
    fetch_allow: str = Field(
        "",
        description="Networks that are fetched from although they are not public, by commas.",
    )


class WorkingSettings(Group):
    ttl_seconds: int = Field(
        3600, ge=1, le=86_400, description="How long a value of working memory lives by default."
    )
    ttl_most: int = Field(
        86_400, ge=1, le=86_400, description="The longest that one may live, in seconds."
    )
    value_bytes: int = Field(262_144, ge=64, description="Largest value, as JSON, in bytes.")
    keys: int = Field(1000, ge=1, le=10_000, description="Most values of one task.")
    agent_bytes: int = Field(
        16_777_216, ge=1024, description="Most bytes of one agent, with what keeping them costs."
    )
    tenant_bytes: int = Field(
        268_435_456, ge=1024, description="Most bytes of one tenant, counted likewise."
    )
    slots: int = Field(8, ge=1, le=16, description="Memories that one agent has loaded at most.")
    eviction: Literal["relevance", "lru"] = Field(
        "relevance",
        description="Which loaded memory leaves for another: the least relevant, or (lru) the one "
        "that was used longest ago.",
    )


class ShortTermSettings(Group):
    ttl_seconds: int = Field(
        3600, ge=1, le=31_622_400, description="How long an entry lives that names no time."
    )
    ttl_most: int = Field(
        31_622_400, ge=1, le=31_622_400, description="The longest that one may live, in seconds."
    )
    entries: int = Field(
        10_000, ge=1, le=100_000, description="Most entries of one agent that have not run out."
    )
    fade: float = Field(
        0.01, ge=0, le=1, description="Share of its time that an entry loses with each day."
    )
    days: int = Field(
        7, ge=1, le=366, description="Days of its value after which an entry with a time is gone."
    )


class TierSettings(Group):
    reads: int = Field(3, ge=1, le=1000, description="Readings from which on an entry is promoted.")
    alike: float = Field(
        0.92, ge=0.5, le=1, description="Similarity from which on two entries say the same."
    )
    again_hours: int = Field(
        24, ge=1, le=720, description="Hours before an entry that stayed is looked at again."
    )
    context_tokens: int = Field(
        4000, ge=100, le=100_000, description="Most tokens of a context for a task by default."
    )
    minimal_tokens: int = Field(
        1000, ge=100, le=100_000, description="Most tokens of one that has facts alone."
    )
    entry_tokens: int = Field(
        500, ge=20, le=100_000, description="Tokens above which an entry there is cut to half."
    )
    experience: float = Field(
        0.6, ge=0, le=1, description="Least calibrated similarity of an experience there."
    )
    relevant: float = Field(
        0.5, ge=0, le=1, description="Least relevance of what else a search finds for it."
    )


class PoolSettings(Group):
    max_bytes: int = Field(
        5_000_000, ge=1024, le=5_000_000, description="Most bytes of the data of one pool."
    )
    per_scope: int = Field(1000, ge=1, description="Most pools of one scope.")
    versions: int = Field(
        20, ge=0, le=1000, description="Former versions of a pool's data that are kept."
    )
    versions_bytes: int = Field(
        20_000_000, ge=0, description="Most bytes of all former versions of one pool."
    )


class AutonomySettings(Group):
    goal_stale_days: int = Field(
        14, ge=1, le=3650, description="Days without progress after which a goal is stale."
    )
    escalation_levels: int = Field(
        5, ge=1, le=100, description="The highest level of an escalation."
    )
    observation_bytes: int = Field(
        16_384, ge=64, le=262_144, description="Largest payload of an observation, as JSON."
    )
    observation_ttl_seconds: int = Field(
        604_800, ge=60, le=31_536_000, description="How long an observation lasts by default."
    )
    observation_ttl_most: int = Field(
        2_592_000, ge=60, le=31_536_000, description="The longest that one may last, in seconds."
    )
    observation_processed_days: int = Field(
        7, ge=1, le=3650, description="How long one is kept once it is processed."
    )
    observations_per_scope: int = Field(10_000, ge=1, description="Most observations of one scope.")
    suggestion_window_days: int = Field(
        30, ge=1, le=3650, description="Days of reviews that a suggestion rests on."
    )
    suggestion_least: int = Field(10, ge=1, description="Fewest reviews that suggest something.")
    suggestion_rate: float = Field(
        0.9, gt=0.5, le=1, description="Share of reviews decided alike that suggests a policy."
    )
    suggestion_quiet_days: int = Field(
        90, ge=1, le=3650, description="For how long a decision keeps the same suggestion away."
    )
    snapshot_entries: int = Field(
        1000, ge=1, le=100_000, description="Most entries of each list of a snapshot."
    )


class GoalSettings(Group):
    abandon_stale: bool = Field(
        False, description="Whether the check abandons a stale goal; else it tells of it once."
    )


class AgentMemorySettings(Group):
    bridge: bool = Field(
        False, description="Whether the bridge of the agent-memory protocol answers."
    )
    page: int = Field(
        200, ge=1, le=1000, description="Most items of one answer over the agent-memory protocol."
    )
    messages: int = Field(
        1000, ge=100, le=10_000, description="Most messages of a conversation that is read whole."
    )
    recent: int = Field(
        20, ge=1, le=200, description="Messages, observations and reflections of a context."
    )
    metadata_bytes: int = Field(
        16_384, ge=256, le=262_144, description="Most bytes of metadata as JSON."
    )
    graph_nodes: int = Field(
        500, ge=1, le=5000, description="Most entities of the graph that one answer shows."
    )


class TraceSettings(Group):
    json_bytes: int = Field(
        8192,
        ge=256,
        le=262_144,
        description="Most bytes of the arguments, and of the result, of one tool call; what is "
        "beyond is cut.",
    )
    json_depth: int = Field(
        8, ge=1, le=32, description="Most objects and lists inside each other there."
    )
    steps: int = Field(500, ge=1, le=5000, description="Most steps of one trace.")
    tool_calls: int = Field(1000, ge=1, le=5000, description="Most tool calls of one trace.")
    links: int = Field(200, ge=1, le=1000, description="Most links of one trace.")
    floor: float = Field(
        0.5, ge=0, le=1, description="Least calibrated similarity of the task of a similar trace."
    )
    statistics_days: int = Field(
        30, ge=1, le=366, description="Days that tool statistics look back by default."
    )
    statistics_most_days: int = Field(
        366, ge=1, le=3660, description="Most days that tool statistics look back."
    )


class LearningSettings(Group):
    idle_minutes: int = Field(
        30, ge=1, le=10_080, description="Silence after which a task has ended, in minutes."
    )
    turns: bool = Field(
        True, description="Whether what is said in a conversation begins and ends tasks by itself."
    )
    uses: int = Field(200, ge=1, le=1000, description="Most skills and memories of one task.")
    samples: int = Field(
        1000, ge=20, le=10_000, description="Earlier tasks of a scope that one is compared with."
    )
    intent_floor: float = Field(
        0.5, ge=0, le=1, description="Least calibrated similarity of two tasks of one intent."
    )
    intent_least: int = Field(
        3, ge=2, le=100, description="Tasks alike from which on they are an intent."
    )
    intent_batch: int = Field(
        200, ge=1, le=5000, description="Most tasks of a scope that one run looks at."
    )


class TableSettings(Group):
    per_scope: int = Field(200, ge=1, description="Most tables of one scope.")
    columns: int = Field(64, ge=1, le=1000, description="Most columns of one table.")
    rows: int = Field(10_000, ge=1, le=100_000, description="Most rows of one table.")
    versions: int = Field(
        20_000, ge=0, description="Former versions of the rows of one table that are kept."
    )
    max_bytes: int = Field(
        20_000_000, ge=1024, le=200_000_000, description="Most bytes of the rows of one table."
    )
    row_bytes: int = Field(100_000, ge=1024, le=1_000_000, description="Most bytes of one row.")
    batch: int = Field(1000, ge=1, le=10_000, description="Most rows of one insert.")


class ConversationSettings(Group):
    messages: int = Field(10, ge=1, le=100, description="Most messages of a buffer.")
    open_seconds: int = Field(
        3600,
        ge=1,
        le=2_592_000,
        description="How long after its last message searches leave out what a buffer holds.",
    )
    query_characters: int = Field(
        300, ge=20, le=4000, description="Most characters of a message that memory is searched by."
    )
    hits: int = Field(8, ge=1, le=50, description="Most hits recalled for a message.")
    hit_characters: int = Field(200, ge=60, le=4000, description="Most characters of such a hit.")
    relevance: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Least relevance of such a hit; `POST /v1/turns` recalls nothing where no hit "
        "has it. A request may name its own.",
    )
    cron: Annotated[str, AfterValidator(_cron)] = Field(
        "*/5 * * * *", description="When messages that left their buffers are judged."
    )
    items: int = Field(50, ge=1, le=500, description="Most messages of one agent in one pass.")
    model_least: int = Field(
        200,
        ge=0,
        le=10_000,
        description="Least characters of an exchange that goes to a model.",
    )
    price: float | None = Field(
        None, ge=0, description="What a million tokens cost, to tell the cost of verdicts."
    )
    prompt: str = Field(
        "",
        max_length=4000,
        description="What a model is told of which messages to keep; the built-in words if empty.",
    )
    leaf: bool = Field(
        False, description="Whether turns without a scope lie in the agent's own leaf."
    )


class ContextSettings(Group):
    per_scope: int = Field(1000, ge=1, description="Most long-term contexts of one scope.")
    entries: int = Field(5000, ge=1, le=20_000, description="Most active entries of one context.")
    content_bytes: int = Field(
        100_000, ge=1024, le=1_000_000, description="Most bytes of the content of one entry."
    )
    versions: int = Field(20, ge=0, le=1000, description="Former contents of an entry to keep.")
    snapshots: int = Field(20, ge=1, le=1000, description="Most snapshots of one context.")
    accesses: int = Field(200, ge=1, le=10_000, description="Accesses to a context to keep.")
    experiences: int = Field(
        1000, ge=1, le=20_000, description="Experiences of a context that upkeep leaves."
    )
    own: int = Field(
        500, ge=1, le=20_000, description="Keys of an agent's own memory before the oldest go."
    )
    threshold: float = Field(
        0.7, ge=0, le=1, description="Least calibrated similarity of what a search of one finds."
    )
    merged_by_hand: float = Field(
        0.9, ge=0.5, le=1, description="Similarity from which on experiences are merged by hand."
    )
    merged_by_job: float = Field(
        0.95, ge=0.5, le=1, description="Similarity from which on upkeep merges experiences."
    )


class BlockSettings(Group):
    vector: float = Field(0.55, ge=0, le=10, description="Weight of the similarity.")
    text: float = Field(0.30, ge=0, le=10, description="Weight of the words.")
    graph: float = Field(0.15, ge=0, le=10, description="Weight of the graph.")
    user_scope: float = Field(1.0, ge=0, le=10, description="Weight of a person's own scope.")
    context_scope: float = Field(0.8, ge=0, le=10, description="Weight of a shared scope.")
    global_scope: float = Field(0.3, ge=0, le=10, description="Weight of the tenant's scope.")
    knowledge_days: float = Field(
        365.0, gt=0, le=36_500, description="Half-life of notes of knowledge, in days."
    )
    methods_days: float = Field(
        180.0, gt=0, le=36_500, description="Half-life of notes of methods, in days."
    )
    project_state_days: float = Field(
        21.0, gt=0, le=36_500, description="Half-life of notes of the project's state, in days."
    )
    learnings_days: float = Field(
        120.0, gt=0, le=36_500, description="Half-life of learnings, in days."
    )
    other_days: float = Field(
        90.0, gt=0, le=36_500, description="Half-life of everything else, in days."
    )
    threshold: float = Field(
        0.55,
        ge=0,
        le=1,
        description="A hit is kept above .3 of it, a similarity counts from .8 of it on.",
    )
    characters: int = Field(
        12_000, ge=200, le=100_000, description="Most characters of a block of relevant context."
    )


class WebhookSettings(Group):
    per_scope: int = Field(20, ge=1, le=1000, description="Most webhooks of one scope.")
    batch: int = Field(100, ge=1, le=1000, description="Most events of one delivery.")
    look_seconds: float = Field(
        1.0, ge=0.1, le=3600, description="How often the worker looks for events to send."
    )
    lanes: int = Field(8, ge=2, le=64, description="Webhooks that a worker serves at once.")
    timeout_seconds: float = Field(
        10.0, gt=0, le=60, description="Longest time for one attempt to deliver."
    )
    tries: int = Field(
        8, ge=1, le=50, description="Attempts after which a delivery is a dead letter."
    )
    backoff_seconds: float = Field(
        5.0, gt=0, le=3600, description="Wait before the second attempt; doubles with each."
    )
    backoff_most: float = Field(
        3600.0, gt=0, le=86_400, description="The longest wait between two attempts, in seconds."
    )
    pause_after: int = Field(
        24, ge=1, le=1000, description="Failed attempts in a row after which a webhook is paused."
    )
    kept_days: int = Field(7, ge=1, le=365, description="How long delivered ones are listed.")
    dead_days: int = Field(30, ge=1, le=3650, description="How long dead letters are kept.")
    allow: str = Field(
        "",
        description="Networks that are posted to, also without encryption, although they are not "
        "public, by commas; `127.0.0.0/8` for tests and development.",
    )


ServerSetting = Annotated[str, StringConstraints(pattern=r"^[a-z][A-Za-z0-9_.-]{0,199}$")]
OneLine = Annotated[str, StringConstraints(pattern=r"^[^\r\n]{1,1000}$")]


class RuntimeSettings(Group):
    home: Path = Field(
        default_factory=lambda: Path(platformdirs.user_data_dir("loci")),
        description="Data of the embedded Neo4j and Valkey, state and secrets.",
    )
    cache: Path = Field(
        default_factory=lambda: Path(platformdirs.user_cache_dir("loci")),
        description="Downloaded jars and converted models.",
    )
    bolt_port: int = Field(7687, ge=1, le=65535, description="Port of the embedded Neo4j's Bolt.")
    browser_port: int = Field(7474, ge=1, le=65535, description="Port of Neo4j Browser.")
    valkey_port: int = Field(6379, ge=1, le=65535, description="Port of the embedded Valkey.")
    heap_mb: int | None = Field(
        None, ge=64, description="Heap of Neo4j in MiB; by the machine if unset."
    )
    pagecache_mb: int | None = Field(
        None, ge=8, description="Page cache in MiB; by the machine if unset."
    )
    neo4j: Annotated[dict[ServerSetting, OneLine], BeforeValidator(_parsed)] = Field(
        {}, description="Further settings of the embedded Neo4j by name (JSON); they win over ours."
    )


class TelemetrySettings(Group):
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="Lowest level logged."
    )
    log_format: Literal["json", "console"] = Field("json", description="Form of a log line.")
    otlp_endpoint: str | None = Field(None, description="OpenTelemetry collector (OTLP over HTTP).")


class Settings(Group):
    """All groups."""

    graph: GraphSettings = GraphSettings()
    redis: RedisSettings = RedisSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    llm: LlmSettings = LlmSettings()
    api: ApiSettings = ApiSettings()
    worker: WorkerSettings = WorkerSettings()
    search: SearchSettings = SearchSettings()
    reranker: RerankerSettings = RerankerSettings()
    documents: DocumentSettings = DocumentSettings()
    working: WorkingSettings = WorkingSettings()
    short_term: ShortTermSettings = ShortTermSettings()
    tiers: TierSettings = TierSettings()
    pools: PoolSettings = PoolSettings()
    autonomy: AutonomySettings = AutonomySettings()
    goals: GoalSettings = GoalSettings()
    traces: TraceSettings = TraceSettings()
    learning: LearningSettings = LearningSettings()
    agent_memory: AgentMemorySettings = AgentMemorySettings()
    tables: TableSettings = TableSettings()
    conversations: ConversationSettings = ConversationSettings()
    contexts: ContextSettings = ContextSettings()
    blocks: BlockSettings = BlockSettings()
    webhooks: WebhookSettings = WebhookSettings()
    runtime: RuntimeSettings = Field(default_factory=RuntimeSettings)
    telemetry: TelemetrySettings = TelemetrySettings()


# What other tools call these; ours wins where both are set.
ALIASES = {
    "NEO4J_URI": ("graph", "uri"),
    "NEO4J_USER": ("graph", "user"),
    "NEO4J_USERNAME": ("graph", "user"),
    "NEO4J_PASSWORD": ("graph", "password"),
    "NEO4J_DATABASE": ("graph", "database"),
    "REDIS_URL": ("redis", "url"),
}
PROVIDER_KEYS = {
    "openai": "OPENAI_API_KEY",
    "cohere": "COHERE_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "jina": "JINA_API_KEY",
    "voyage": "VOYAGE_API_KEY",
}
# Short names of the runtime's settings, as its messages give them.
SHORT = {
    "LOCI_PORT": ("api", "port"),
    "LOCI_HOME": ("runtime", "home"),
    "LOCI_CACHE": ("runtime", "cache"),
    "LOCI_BOLT_PORT": ("runtime", "bolt_port"),
    "LOCI_HTTP_PORT": ("runtime", "browser_port"),
    "LOCI_VALKEY_PORT": ("runtime", "valkey_port"),
}
# Read by other parts of the project, not settings of the service.
FOREIGN = {
    "LOCI_API_KEY",
    "LOCI_API_URL",
    "LOCI_BENCH",
    "LOCI_BIND",
    "LOCI_MAVEN_URL",
    "LOCI_TEST_PROFILE",
    "LOCI_WORKERS",
}


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Settings from the environment; InvalidInput names the variable that cannot be read."""
    env = os.environ if environment is None else environment
    tree: dict[str, dict[str, Any]] = {}
    for names in (ALIASES, SHORT):
        for variable, (group, field) in names.items():
            if env.get(variable):
                tree.setdefault(group, {})[field] = env[variable]
    for variable, value in env.items():
        if _is_ours(variable) and variable not in SHORT and value:
            group, _, field = variable.removeprefix(PREFIX).lower().partition("__")
            tree.setdefault(group, {})[field] = value
    _provider_key(tree, env)
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        first = error.errors()[0]
        raise _refused(first["type"], tuple(map(str, first["loc"])), first["msg"], env) from None


def _is_ours(variable: str) -> bool:
    return variable.startswith(PREFIX) and variable not in FOREIGN


def _refused(kind: str, place: tuple[str, ...], says: str, env: Mapping[str, str]) -> InvalidInput:
    """The error of one setting, by the name of the variable that gave it."""
    name = PREFIX + "__".join(place).upper().rstrip("_")
    if kind == "extra_forbidden":
        name = next((variable for variable in env if variable.startswith(name)), name)
        near = get_close_matches(name, _variables(), n=1, cutoff=0.75)
        meant = f": did you mean {near[0]}?" if near else ""
        return InvalidInput(f"there is no setting {name}{meant}", field=name)
    if name not in env:
        given = (v for names in (SHORT, ALIASES) for v, at in names.items() if at == place[:2])
        name = next((variable for variable in given if env.get(variable)), name)
    return InvalidInput(f"setting {name}: {says.removeprefix('Value error, ')}", field=name)


def _variables() -> Iterator[str]:
    """The names of all variables that are read."""
    yield from (*ALIASES, *SHORT, *FOREIGN)
    for group, described in Settings.model_fields.items():
        fields = described.annotation.model_fields if described.annotation else {}
        yield from (f"{PREFIX}{group}__{field}".upper() for field in fields)


def _provider_key(tree: dict[str, dict[str, Any]], env: Mapping[str, str]) -> None:
    embedding = tree.get("embedding", {})
    variable = PROVIDER_KEYS.get(str(embedding.get("provider")))
    if variable and env.get(variable):
        embedding.setdefault("api_key", env[variable])
