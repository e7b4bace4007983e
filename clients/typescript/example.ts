// A search with the types of the API; `tsc` checks it, and the types with it.
import type { FoundOut, SearchIn, operations } from "./loci.js";

type Answer = operations["search"]["responses"][200]["content"]["application/json"];

export async function search(url: string, key: string, asked: SearchIn): Promise<FoundOut> {
  const answer = await fetch(`${url}/v1/search`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(asked),
  });
  if (!answer.ok) throw new Error(`Loci answered ${answer.status}`);
  const found: Answer = await answer.json();
  return found;
}

// @ts-expect-error A limit is a number.
export const refused: Pick<SearchIn, "limit"> = { limit: "ten" };
