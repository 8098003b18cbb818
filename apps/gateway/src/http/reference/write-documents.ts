import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { generatedDocuments } from "./generated-documents.ts";

/* `pnpm docs:http`: writes docs/openapi.json, and the tables of docs/http.md. Needs no servers. */

const documents = await generatedDocuments();
for (const { file, text } of documents) await writeFile(file, text);
const files = documents.map(({ file }) => fileURLToPath(file));
await promisify(execFile)("oxfmt", files);
for (const file of files) process.stdout.write(`${file}\n`);
