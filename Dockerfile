# One image for the API and the workers; docker-compose.yml says which of the two it is.
FROM python:3.12-slim

ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PIP_NO_CACHE_DIR=1

# A new volume takes its owner from the folder that it is mounted over.
RUN useradd --create-home --uid 10001 loci \
    && install --directory --owner loci --group loci --mode 700 /var/lib/loci/imports
WORKDIR /srv/loci

COPY requirements ./requirements
RUN pip install --require-hashes --no-deps -r requirements/lock.txt

COPY pyproject.toml README.md LICENSE ./
COPY app ./app
COPY cypher ./cypher
COPY seed ./seed
RUN pip install --no-deps --no-build-isolation --editable .

USER loci
# The local embedding model is converted here, so that no container does it at its start.
RUN python -c "from app.embeddings.model import EmbeddingConfig; \
from app.embeddings.e5_files import ensure_model; ensure_model(EmbeddingConfig().cache_dir)"

EXPOSE 8484
CMD ["python", "-m", "uvicorn", "--factory", "app.asgi:create_app", \
     "--host", "0.0.0.0", "--port", "8484", "--no-access-log"]
