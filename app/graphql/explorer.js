"use strict";

// The key stays in this page: it is neither stored nor put into an address.
const place = document.getElementById("graphiql");

document.getElementById("who").addEventListener("submit", (event) => {
  event.preventDefault();
  const key = document.getElementById("key").value.trim();
  const fetcher = async (operation) => {
    const answer = await fetch("/graphql", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify(operation),
    });
    return answer.json();
  };
  ReactDOM.render(
    React.createElement(GraphiQL, {
      key,
      fetcher,
      shouldPersistHeaders: false,
      defaultQuery: "{\n  episodes(first: 5) {\n    nodes { id capturedAt untrusted { content } }\n  }\n}\n",
    }),
    place,
  );
});
