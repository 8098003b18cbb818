import { join } from "node:path";
import { createApp } from "./create-app.ts";

// The CDK CLI names another folder in CDK_OUTDIR, which App prefers.
const outdir = join(import.meta.dirname, "..", "cdk.out");
const assembly = createApp(outdir).synth();
for (const { stackName, templateFullPath } of assembly.stacks) console.log(`${stackName}  ${templateFullPath}`);
