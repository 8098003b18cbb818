import { RemovalPolicy, Stack, type App } from "aws-cdk-lib";
import { Repository, TagMutability } from "aws-cdk-lib/aws-ecr";
import { images, repositoryName } from "./apps/add-task.ts";

/** The repositories of the images, before and outside the stacks that run them: a release is pushed once and serves every profile. */
export function addImagesStack(app: App): Stack {
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
  return stack;
}
