"""Prometheus metrics; docs/operations/observability.md lists them."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

REGISTRY = CollectorRegistry()
BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)

REQUESTS = Counter(
    "loci_requests_total",
    "Requests by route, method and status.",
    ["route", "method", "status"],
    registry=REGISTRY,
)
SECONDS = Histogram(
    "loci_request_seconds",
    "Seconds a request took.",
    ["route", "method"],
    buckets=BUCKETS,
    registry=REGISTRY,
)
QUERY_SECONDS = Histogram(
    "loci_query_seconds",
    "Seconds a named query took.",
    ["query"],
    buckets=BUCKETS,
    registry=REGISTRY,
)
INDEX_BACKLOG = Gauge(
    "loci_index_backlog", "Episodes that wait for their vectors.", registry=REGISTRY
)
INDEX_FAILED = Gauge(
    "loci_index_failed", "Episodes that the embedding model refused.", registry=REGISTRY
)
CONSOLIDATION_BACKLOG = Gauge(
    "loci_consolidation_backlog", "Episodes that were not read yet.", registry=REGISTRY
)
CONSOLIDATION_FAILED = Gauge(
    "loci_consolidation_failed", "Episodes that could not be read.", registry=REGISTRY
)
CONSOLIDATED = Gauge(
    "loci_consolidated_episodes",
    "Episodes that were consolidated since the beginning, by whichever worker; its rate is theirs.",
    registry=REGISTRY,
)
MODEL_DUE = Gauge("loci_model_due", "Episodes that wait for the language model.", registry=REGISTRY)
MODEL_FAILED = Gauge(
    "loci_model_failed",
    "Episodes that the language model could not be asked about, or gave no usable answer on.",
    registry=REGISTRY,
)
MODEL_TOKENS = Gauge(
    "loci_model_tokens", "Tokens that the language model used today, in UTC.", registry=REGISTRY
)
MODEL_STATEMENTS = Gauge(
    "loci_model_statements",
    "Statements that the language model proposed today, by what became of them.",
    ["outcome"],
    registry=REGISTRY,
)
JOBS = Gauge("loci_jobs", "Jobs by state.", ["state"], registry=REGISTRY)


def render() -> bytes:
    """The text form that Prometheus reads."""
    return generate_latest(REGISTRY)
