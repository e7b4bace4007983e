// One conversation of the TypeScript client with a server: `node converse.mjs ADDRESS`, the key in
// KEY, what it goes by as JSON in GIVEN. Writes what it was told as JSON, a line for each step.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const given = JSON.parse(process.env.GIVEN);
const headers = { Authorization: `Bearer ${process.env.KEY}` };

function tell(step, value) {
  process.stdout.write(`${JSON.stringify({ step, value })}\n`);
}

async function tried(step, what) {
  try {
    tell(step, await what());
  } catch (error) {
    tell(step, { refused: error.code ?? error.name, says: error.message });
  }
}

async function connected(query) {
  const transport = new StreamableHTTPClientTransport(new URL(process.argv[2] + query), {
    requestInit: { headers },
  });
  const client = new Client({ name: "held against Loci", version: "0" });
  await client.connect(transport);
  return { client, transport };
}

const call = (client, name, args) => client.callTool({ name, arguments: args });

const { client, transport } = await connected("");
tell("server", {
  version: client.getServerVersion(),
  revision: transport.protocolVersion,
  capabilities: client.getServerCapabilities(),
});
tell("tools", (await client.listTools()).tools);
for (const { step, tool, args } of given.calls) {
  await tried(step, () => call(client, tool, args));
}
await tried("resource", () => client.readResource({ uri: given.uri }));
await tried("no resource", () => client.readResource({ uri: "loci://page/nowhere" }));
await tried("templates", () => client.listResourceTemplates());
await tried("prompts", () => client.listPrompts());
await tried("prompt", () => client.getPrompt({ name: "recall", arguments: given.prompt }));
await tried("no prompt", () => client.getPrompt({ name: "recall", arguments: {} }));
await client.close();

const profile = await connected("?tools=data");
tell("profile", (await profile.client.listTools()).tools.map((tool) => tool.name));
await profile.client.close();

const session = await connected("?notifications=true");
const told = new Promise((resolve, reject) => {
  session.client.setNotificationHandler(ResourceUpdatedNotificationSchema, resolve);
  setTimeout(() => reject(new Error("nothing was told in a minute")), 60_000).unref();
});
await session.client.subscribeResource({ uri: given.uri });
tell("subscribed", session.transport.sessionId !== undefined);
await tried("changed", async () => (await told).params);
await tried("ended", async () => {
  const first = session.transport.sessionId;
  await session.transport.terminateSession();
  const again = await connected("?notifications=true");
  const other = again.transport.sessionId;
  const answer = await call(again.client, "status", {});
  await again.client.close();
  return { gone: session.transport.sessionId ?? null, other: other !== first, answer };
});
await session.client.close();
