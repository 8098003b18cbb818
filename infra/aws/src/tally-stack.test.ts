import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Match, Template } from "aws-cdk-lib/assertions";
import { expect, test } from "vitest";
import { gatewayOperatorPort, livePorts, nodeEnvironment, stopTimeoutSeconds } from "./apps/app-settings.ts";
import { documentedSettings } from "./documented-settings.test-kit.ts";
import { createApp } from "./create-app.ts";
import { sizes } from "./sizes.ts";

const apps = ["gateway", "writer", "ranker"] as const;
const runbook = new URL("../../../docs/runbook.md", import.meta.url);

// With cdk-nag: throws for a finding without a reason. Takes 3 s; needs no network.
const outdir = mkdtempSync(join(tmpdir(), "tally-aws-"));
const assembly = createApp(outdir).synth();
const templateOf = (name: string) => Template.fromJSON(assembly.getStackByName(name).template);
const [template, images] = [templateOf("tally"), templateOf("tally-images")];
rmSync(outdir, { recursive: true, force: true });

const all = (type: string) => Object.values(template.findResources(type));
const containers = all("AWS::ECS::TaskDefinition").flatMap(({ Properties }) => Properties.ContainerDefinitions);

test("the network has two zones with three networks each", () => {
  template.resourceCountIs("AWS::EC2::Subnet", 6);
  template.resourceCountIs("AWS::EC2::NatGateway", sizes.natGateways);
  const zones = new Set(all("AWS::EC2::Subnet").map(({ Properties }) => JSON.stringify(Properties.AvailabilityZone)));
  expect(zones.size).toBe(2);
});

test("the load balancer closes idle connections before the gateway, drains for 30 s, and checks that gateways live", () => {
  template.hasResourceProperties("AWS::ElasticLoadBalancingV2::LoadBalancer", {
    Scheme: "internet-facing",
    LoadBalancerAttributes: Match.arrayWith([{ Key: "idle_timeout.timeout_seconds", Value: "60" }]),
  });
  template.hasResourceProperties("AWS::ElasticLoadBalancingV2::TargetGroup", {
    HealthCheckPath: "/health/live",
    Port: 8080,
    TargetGroupAttributes: Match.arrayWith([{ Key: "deregistration_delay.timeout_seconds", Value: "30" }]),
  });
  template.hasResourceProperties("AWS::ElasticLoadBalancingV2::Listener", {
    Port: 80,
    DefaultActions: [Match.objectLike({ Type: "redirect" })],
  });
  template.hasResourceProperties("AWS::ElasticLoadBalancingV2::Listener", {
    Port: 443,
    Protocol: "HTTPS",
    Certificates: [{ CertificateArn: { Ref: "CertificateArn" } }],
  });
});

test("each app is a service that rolls back, without a count that a deployment would reset", () => {
  const services = all("AWS::ECS::Service");
  expect(services).toHaveLength(3);
  for (const { Properties } of services) {
    expect(Properties.DesiredCount).toBeUndefined();
    expect(Properties.LaunchType).toBeUndefined();
    expect(Properties.DeploymentConfiguration.DeploymentCircuitBreaker).toEqual({ Enable: true, Rollback: true });
    expect(Properties.PlacementStrategies[0]).toEqual({ Type: "spread", Field: "attribute:ecs.availability-zone" });
  }
});

test("a deployment replaces the apps in the order of docs/runbook.md: rankers, writers, gateways", () => {
  const steps = readFileSync(runbook, "utf8").matchAll(/^\| \d +\| (ranker|writer|gateway)s\b/gm);
  const order = [...steps].map(([, app = ""]) => app);
  expect(order).toHaveLength(3);
  const services = Object.entries(template.findResources("AWS::ECS::Service"));
  const idOf = (app: string) => services.find(([id]) => id.startsWith(app))?.[0] ?? expect.fail(`no service ${app}`);
  const waitsFor = new Map(
    services.map(([id, { DependsOn }]) => [id, order.map(idOf).filter((other) => DependsOn.includes(other))]),
  );
  const [first = "", second = "", third = ""] = order.map(idOf);
  expect([first, second, third].map((id) => waitsFor.get(id))).toEqual([[], [first], expect.arrayContaining([second])]);
});

test("each app has its own parameter for the tag of its image: a rollback can replace gateways first", () => {
  const named = containers.map(({ Image }) => JSON.stringify(Image));
  for (const app of apps) {
    const own = named.filter((image) =>
      image.includes(`{"Ref":"${app.replace(/^./, (one) => one.toUpperCase())}Tag"}`),
    );
    expect(own).toEqual([expect.stringMatching(new RegExp(`tally/${app}|${app}`))]);
  }
});

test("every container of tally runs without root, capabilities and a writable file system; apps stop within 30 s", () => {
  const ours = containers.filter(({ Name }) => Name !== "metrics");
  expect(ours.map(({ Name }) => Name)).toEqual(
    expect.arrayContaining(["gateway", "writer", "ranker", "admin", "mysql"]),
  );
  for (const container of ours) {
    expect(container).toMatchObject({
      User: "1000:1000",
      ReadonlyRootFilesystem: true,
      LinuxParameters: { Capabilities: { Drop: ["ALL"] }, Tmpfs: [{ ContainerPath: "/tmp" }] },
    });
    expect(container.LogConfiguration.LogDriver).toBe("awslogs");
  }
  const HealthCheck = { Command: ["CMD", "node", "-e", expect.any(String)] };
  for (const app of apps) expect(ours.find(({ Name }) => Name === app)).toMatchObject({ StopTimeout: 30, HealthCheck });
});

test("the parameter Domains, empty by default, selects the domains of gateways, writers and rankers", () => {
  const { AllowedPattern } = template.findParameters("Domains", { Default: "" })["Domains"] ?? {};
  const pattern = new RegExp(`^(?:${AllowedPattern})$`);
  for (const valid of ["", "purchases", "purchases,ticket-scans,steps2"]) expect(valid).toMatch(pattern);
  for (const wrong of ["purchases,", "purchases steps", "Purchases"]) expect(wrong).not.toMatch(pattern);
  const Environment = Match.arrayWith([{ Name: "DOMAINS", Value: { Ref: "Domains" } }]);
  for (const Name of apps)
    template.hasResourceProperties("AWS::ECS::TaskDefinition", {
      ContainerDefinitions: Match.arrayWith([Match.objectLike({ Name, Environment })]),
    });
});

test("the parameter Currency, empty by default, is that of the gateways' prices", () => {
  template.hasParameter("Currency", { Default: "", AllowedPattern: "([A-Z]{3})?" });
  const Environment = Match.arrayWith([{ Name: "CURRENCY", Value: { Ref: "Currency" } }]);
  template.hasResourceProperties("AWS::ECS::TaskDefinition", {
    ContainerDefinitions: Match.arrayWith([Match.objectLike({ Name: "gateway", Environment })]),
  });
});

test("every variable of a container is a setting that the app has, and none that must be set is missing", () => {
  const known = documentedSettings();
  const ours = containers.filter(({ Name, EntryPoint }) => Name in known && EntryPoint === undefined);
  expect(new Set(ours.map(({ Name }) => Name))).toEqual(new Set([...apps, "admin"]));
  for (const { Name, Environment, Secrets } of ours) {
    // The CDK adds AWS_REGION beside a log.
    const notOurs = new Set(["AWS_REGION", ...Object.keys(nodeEnvironment)]);
    const names: string[] = [...Environment, ...Secrets].map((variable) => variable.Name);
    const set = names.filter((name) => !notOurs.has(name));
    const settings = known[Name] ?? [];
    expect(set.filter((name) => !settings.some(({ variable }) => variable === name))).toEqual([]);
    const required = settings.filter(({ mustBeSet }) => mustBeSet).map(({ variable }) => variable);
    expect(required.length).toBeGreaterThan(0);
    expect(required.filter((name) => !set.includes(name))).toEqual([]);
    // What has a password is a secret, and nothing else is.
    const inSecrets = new Set<string>(Secrets.map((secret: { readonly Name: string }) => secret.Name));
    expect(
      set.filter((name) => inSecrets.has(name) !== settings.find(({ variable }) => variable === name)?.isAddress),
    ).toEqual([]);
  }
});

test("the stack expects the ports that apps have by default, and more than the time in which they stop", () => {
  const preset = (app: string, name: string) =>
    Number(documentedSettings()[app]?.find(({ variable }) => variable === name)?.preset);
  expect(gatewayOperatorPort).toBe(preset("gateway", "GATEWAY_HEALTH_PORT"));
  for (const app of apps) {
    const name = app === "gateway" ? "PORT" : `${app.toUpperCase()}_HEALTH_PORT`;
    expect([app, livePorts[app]]).toEqual([app, preset(app, name)]);
    expect(stopTimeoutSeconds).toBeGreaterThan(preset(app, "STOP_WITHIN_MS") / 1000);
  }
});

test("the tasks of an instance fit its cores, its memory and its network interfaces", () => {
  // Cores, memory in MiB and network interfaces (docs.aws.amazon.com/ec2/latest/instancetypes/co.html).
  expect(sizes.instances.type).toBe("c7g.large");
  const { cores, memory, interfaces } = { cores: 2, memory: 4096, interfaces: 3 };
  const perInstance = interfaces - 1;
  const { gateway, writer, ranker } = sizes;
  // The agent beside a gateway has 32 and 192.
  const largest = [{ cpu: gateway.cpu + 32, memory: gateway.memory + 192 }, writer, ranker];
  for (const size of largest) {
    expect(size.cpu * perInstance).toBeLessThanOrEqual(cores * 1024);
    // ECS and the system take up to 8 % of it.
    expect(size.memory * perInstance).toBeLessThanOrEqual(memory * 0.92);
  }
  const tasks = gateway.tasksMin + writer.tasksMin + ranker.tasksMin;
  expect(sizes.instances.min * perInstance).toBeGreaterThanOrEqual(tasks);
  const most = gateway.tasksMax + writer.tasksMax + ranker.tasksMax;
  expect(sizes.instances.max * perInstance).toBeGreaterThanOrEqual(most);
});

test("the database is encrypted, accepts TLS only, survives the stack, and has a writer and readers", () => {
  template.resourceCountIs("AWS::RDS::DBInstance", 1 + sizes.database.readers);
  template.hasResource("AWS::RDS::DBCluster", {
    DeletionPolicy: "Snapshot",
    Properties: Match.objectLike({ StorageEncrypted: true, DeletionProtection: true, BackupRetentionPeriod: 7 }),
  });
  template.hasResourceProperties("AWS::RDS::DBClusterParameterGroup", {
    Parameters: Match.objectLike({ require_secure_transport: "ON" }),
  });
});

test("Valkey is a cluster with a replica for each master, TLS, and the rights of users.conf", () => {
  template.hasResourceProperties("AWS::ElastiCache::ReplicationGroup", {
    Engine: "valkey",
    ClusterMode: "enabled",
    NumNodeGroups: sizes.cache.nodeGroups,
    ReplicasPerNodeGroup: 1,
    MultiAZEnabled: true,
    AutomaticFailoverEnabled: true,
    TransitEncryptionEnabled: true,
    AtRestEncryptionEnabled: true,
  });
  template.hasResourceProperties("AWS::ElastiCache::ParameterGroup", {
    Properties: Match.objectLike({ "maxmemory-policy": "noeviction", "cluster-enabled": "yes" }),
  });
  template.hasResourceProperties("AWS::ElastiCache::User", {
    UserName: "tally_ranker",
    AccessString: Match.stringLikeRegexp("^on ~tally:\\{\\* resetchannels -@all .*-@dangerous"),
  });
  template.hasResourceProperties("AWS::ElastiCache::User", { UserName: "tally", AccessString: "on ~* &* +@all" });
  for (const { Properties } of all("AWS::ElastiCache::User")) expect(Properties.AccessString).not.toMatch(/[>{]\{|>/);
});

test("the broker has three nodes", () => {
  template.hasResourceProperties("AWS::AmazonMQ::Broker", {
    EngineType: "RABBITMQ",
    EngineVersion: Match.stringLikeRegexp("^4\\."),
    HostInstanceType: Match.stringLikeRegexp("^mq\\.m7g\\."),
    DeploymentMode: "CLUSTER_MULTI_AZ",
    PubliclyAccessible: false,
  });
});

test("a server accepts connections from security groups only, the load balancer alone from anywhere", () => {
  const open = all("AWS::EC2::SecurityGroup").filter(({ Properties }) => Properties.SecurityGroupIngress !== undefined);
  expect(open.map(({ Properties }) => Properties.GroupDescription)).toEqual(["tally: loadBalancer"]);
  for (const { Properties } of all("AWS::EC2::SecurityGroupIngress")) {
    expect(Properties.SourceSecurityGroupId).toBeDefined();
    expect(Properties.CidrIp).toBeUndefined();
  }
  // No tier is reached on an operator port.
  const ports = new Set(all("AWS::EC2::SecurityGroupIngress").map(({ Properties }) => Properties.FromPort));
  expect([8081, 8082, 8083].filter((port) => ports.has(port))).toEqual([]);
});

test("roles of writers and rankers have no rights, and no role may do everything", () => {
  const policies = all("AWS::IAM::Policy").map(({ Properties }) => Properties);
  const roles = JSON.stringify(policies.flatMap(({ Roles }) => Roles));
  const withoutRights = Object.keys(template.findResources("AWS::IAM::Role")).filter((id) =>
    /^(writer|ranker)TaskTaskRole/.test(id),
  );
  expect(withoutRights).toHaveLength(2);
  for (const id of withoutRights) expect(roles).not.toContain(id);
  const everything = /"Action":(\[[^\]]*)?"([a-z0-9-]+:)?\*"/;
  expect(policies.filter(({ PolicyDocument }) => everything.test(JSON.stringify(PolicyDocument)))).toEqual([]);
});

test("no template contains a password: they are made by Secrets Manager and resolved by CloudFormation", () => {
  const made = all("AWS::SecretsManager::Secret").filter(({ Properties }) => Properties.GenerateSecretString);
  expect(made.length).toBeGreaterThanOrEqual(6);
  const text = JSON.stringify(template.toJSON());
  // user:password@ in a URL, where the password is no reference.
  expect(text.match(/:\/\/tally(_[a-z]+)?:(?!\{\{resolve:secretsmanager:)/g)).toBeNull();
  for (const { Properties } of all("AWS::ElastiCache::User")) {
    expect(JSON.stringify(Properties.AuthenticationMode.Passwords)).toContain("{{resolve:secretsmanager:");
  }
});

test("logs end: every group has a retention", () => {
  for (const { Properties } of all("AWS::Logs::LogGroup")) expect(Properties.RetentionInDays).toBe(30);
});

test("every alarm that is not for scaling goes to the topic", () => {
  const alarms = all("AWS::CloudWatch::Alarm").map(({ Properties }) => Properties);
  const reported = alarms.filter(({ AlarmActions }) => JSON.stringify(AlarmActions).includes("Topic"));
  expect(alarms.length - reported.length).toBe(4);
  const text = JSON.stringify(reported);
  const ours = ["seconds_to_drain", "queue_messages", "dead_letters", "server_up"].map((name) => `tally_${name}`);
  const balancer = ["HTTPCode_Target_5XX_Count", "HTTPCode_ELB_5XX_Count", "TargetResponseTime"];
  const servers = ["AuroraReplicaLagMaximum", "FreeLocalStorage", "DatabaseMemoryUsagePercentage", "RabbitMQDiskFree"];
  expect([...ours, ...balancer, ...servers].filter((metric) => !text.includes(metric))).toEqual([]);
  // The topic's own policy replaces the default one, which would let CloudWatch publish.
  const Condition = { StringEquals: Match.objectLike({ "aws:SourceAccount": Match.anyValue() }) };
  for (const [service, own] of Object.entries({ cloudwatch: { Condition }, events: {} })) {
    const Principal = { Service: `${service}.amazonaws.com` };
    const Statement = Match.arrayWith([
      Match.objectLike({ Effect: "Allow", Action: "sns:Publish", Principal, ...own }),
    ]);
    template.hasResourceProperties("AWS::SNS::TopicPolicy", { PolicyDocument: Match.objectLike({ Statement }) });
  }
});

test("failed tasks of services and failed deployments of this cluster go to the topic, operator tasks do not", () => {
  // A task that ends with exit code 0 has the same stop code as one that fails.
  template.hasResourceProperties("AWS::Events::Rule", {
    EventPattern: Match.objectLike({
      "detail-type": ["ECS Task State Change"],
      detail: Match.objectLike({ group: [{ prefix: "service:" }] }),
    }),
  });
  const ofCluster = Match.arrayWith([":service/", { Ref: Match.stringLikeRegexp("Cluster") }, "/"]);
  template.hasResourceProperties("AWS::Events::Rule", {
    EventPattern: Match.objectLike({
      "detail-type": ["ECS Deployment State Change"],
      resources: [{ prefix: { "Fn::Join": ["", ofCluster] } }],
    }),
  });
});

test("writers and rankers scale on seconds to drain, gateways on requests and CPU", () => {
  const policies = all("AWS::ApplicationAutoScaling::ScalingPolicy").map(({ Properties }) => Properties);
  const tracked = policies.flatMap(({ TargetTrackingScalingPolicyConfiguration: tracking }) =>
    tracking === undefined ? [] : [tracking.PredefinedMetricSpecification.PredefinedMetricType],
  );
  expect(tracked).toHaveLength(2);
  expect(new Set(tracked)).toEqual(new Set(["ALBRequestCountPerTarget", "ECSServiceAverageCPUUtilization"]));
  expect(policies.filter(({ PolicyType }) => PolicyType === "StepScaling")).toHaveLength(4);
  const scaling = all("AWS::CloudWatch::Alarm").filter(
    ({ Properties }) => !JSON.stringify(Properties.AlarmActions).includes("Topic"),
  );
  for (const { Properties } of scaling) {
    expect(JSON.stringify(Properties)).toContain("tally_seconds_to_drain");
    expect(Properties.TreatMissingData).toBe("ignore");
  }
  // Without the drain of a stalled domain, the others look drained.
  const idle = scaling.map(({ Properties }) => JSON.stringify(Properties)).filter((text) => text.includes("drain < 2"));
  expect(idle).toHaveLength(2);
  for (const text of idle) expect(text).toContain("known == finite");
});

test("images keep their tags, so that a rollback gets the same image", () => {
  images.resourceCountIs("AWS::ECR::Repository", 4);
  images.allResourcesProperties("AWS::ECR::Repository", { ImageTagMutability: "IMMUTABLE" });
});
