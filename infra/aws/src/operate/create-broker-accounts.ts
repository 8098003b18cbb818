// Sets the accounts and policies of infra/rabbitmq/definitions.json on a broker through its management API, as its
// administrator. The task BrokerAccounts runs this text with `node --eval` in the image of the CLI, so it imports nothing
// but Node; and it has no template literals, which CloudFormation takes for its own. Safe to repeat. Ends with status 1
// and the reason at the first failure.
import { env } from "node:process";

interface Definitions {
  readonly users: readonly { readonly name: string; readonly password: string; readonly tags: string }[];
  readonly permissions: readonly { readonly user: string; readonly vhost: string }[];
  readonly policies: readonly { readonly name: string; readonly vhost: string }[];
}

const administrator = "tally";
const text = required("DEFINITIONS").replaceAll(/\{\{([a-z]+)\}\}/g, (_, word: string) =>
  required("FILL_" + word.toUpperCase()),
);
// The text is a file of this repository.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const { users, permissions, policies } = JSON.parse(text) as Definitions;
const credentials = Buffer.from([administrator, required("FILL_ADMIN")].join(":")).toString("base64");

for (const { name, password, tags } of users) {
  // The administrator exists: the broker was created with it.
  if (name !== administrator) await put("users/" + encodeURIComponent(name), { password, tags });
}
for (const { user, vhost, ...rights } of permissions) {
  await put(["permissions", encodeURIComponent(vhost), encodeURIComponent(user)].join("/"), rights);
}
for (const { name, vhost, ...policy } of policies)
  await put(["policies", encodeURIComponent(vhost), encodeURIComponent(name)].join("/"), policy);
console.log(users.length, "accounts and", permissions.length, "permissions are set");

async function put(path: string, body: object): Promise<void> {
  const response = await fetch(required("MANAGEMENT_URL") + "/api/" + path, {
    method: "PUT",
    headers: { authorization: "Basic " + credentials, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(["PUT", path, response.status, await response.text()].join(" "));
}

function required(name: string): string {
  const value = env[name];
  if (value === undefined || value === "") throw new Error(name + ": expected a value");
  return value;
}
