import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { addImagesStack } from "./images-stack.ts";
import { profiles } from "./profiles.ts";
import { addTallyStack } from "./tally-stack.ts";

/** All stacks. `outdir`: where synth() writes the templates and the report of cdk-nag. Needs no network and no credentials. */
export function createApp(outdir: string): App {
  const app = new App({
    outdir,
    analyticsReporting: false,
    context: {
      "@aws-cdk/aws-autoscaling:generateLaunchTemplateInsteadOfLaunchConfig": true,
      // The count of a service is that of its scaling: a deployment must not reset it.
      "@aws-cdk/aws-ecs:removeDefaultDeploymentAlarm": true,
      "@aws-cdk/core:checkSecretUsage": true,
    },
  });
  addImagesStack(app);
  for (const profile of profiles) addTallyStack(app, profile);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app;
}
