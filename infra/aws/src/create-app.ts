import { App, Validations, RemovalPolicy, Stack } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { addTallyStack } from "./tally-stack.ts";
import { Repository, TagMutability } from "aws-cdk-lib/aws-ecr";
import { images, repositoryName } from "./apps/add-task.ts";

/** All stacks. `outdir`: where synth() writes the templates and the report of cdk-nag. Needs no network and no
 * credentials. */
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
  addTallyStack(app);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app;
}

/** The repositories of the images, before and outside the stack that runs them: its first deployment needs them. */
function addImagesStack(app: App): void {
  const stack = new Stack(app, "tally-images", {
    stackName: "tally-images",
    description: "tally: repositories of its images",
    terminationProtection: true,
  });
  for (const image of images) {
    new Repository(stack, image, {
      repositoryName: repositoryName(image),
      // A tag is a release: a rollback to it gives the same image.
      imageTagMutability: TagMutability.IMMUTABLE,
      imageScanOnPush: true,
      lifecycleRules: [{ maxImageCount: 30 }],
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }
}
