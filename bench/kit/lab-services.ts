import { servicesSources, startPrivateServices, startServices } from "@tally/local";
import type { Services, ServicesSource, StartOptions } from "@tally/local";
import { Option } from "commander";

export const servicesOption = (): Option =>
  new Option(
    "--services <source>",
    "servers in containers, installed programs, or those that the environment names, which must be empty (default: docker where an engine responds, else programs)",
  ).choices(servicesSources);

/** Empty servers for one run. Those of the environment are used only when they are asked for. */
export const startLabServices = (
  services: ServicesSource | undefined,
  options: Omit<StartOptions, "services" | "keepData">,
): Promise<Services> =>
  services === "environment"
    ? startServices({ ...options, services, keepData: true })
    : startPrivateServices({ ...options, services });
