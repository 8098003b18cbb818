import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Template } from "aws-cdk-lib/assertions";
import { createApp } from "./create-app.ts";
import { profiles, type Profile } from "./profiles.ts";

export interface Synthesised {
  readonly profile: Profile;
  readonly template: Template;
}

/** Synthesises all stacks once, with cdk-nag: throws for a finding without a reason. Takes 3 s; needs no network. */
export function synthesise(): { readonly stacks: readonly Synthesised[]; readonly images: Template } {
  const outdir = mkdtempSync(join(tmpdir(), "tally-aws-"));
  try {
    const assembly = createApp(outdir).synth();
    const templateOf = (name: string): Template => Template.fromJSON(assembly.getStackByName(name).template);
    return {
      stacks: profiles.map((profile) => ({ profile, template: templateOf(`tally-${profile.name}`) })),
      images: templateOf("tally-images"),
    };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
