"""OpenTelemetry: a span for each request, job and named query, where a collector is named."""

from __future__ import annotations

import importlib
from typing import Any

from opentelemetry import trace

from app import __version__
from app.errors import RuntimeFailure
from app.settings import TelemetrySettings

SDK = "opentelemetry.sdk"


def configure_tracing(settings: TelemetrySettings, service: str) -> Any:
    """Send spans to the collector of the settings; returns the provider to shut down, or None.

    Raises RuntimeFailure where a collector is named and the optional packages are missing.
    """
    if settings.otlp_endpoint is None:
        return None
    try:
        sdk = importlib.import_module(f"{SDK}.trace")
        export = importlib.import_module(f"{SDK}.trace.export")
        resources = importlib.import_module(f"{SDK}.resources")
        otlp = importlib.import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    except ImportError as error:
        raise RuntimeFailure(
            "LOCI_TELEMETRY__OTLP_ENDPOINT is set, and the packages for it are missing: "
            "install the project with its extra `otel`"
        ) from error
    named = resources.Resource.create({"service.name": service, "service.version": __version__})
    provider = sdk.TracerProvider(resource=named)
    endpoint = f"{settings.otlp_endpoint.rstrip('/')}/v1/traces"
    provider.add_span_processor(export.BatchSpanProcessor(otlp.OTLPSpanExporter(endpoint)))
    trace.set_tracer_provider(provider)
    return provider
