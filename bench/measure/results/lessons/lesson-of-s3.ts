import type { Lesson } from "./lesson.ts";

export const lessonOfS3: Lesson = {
  title: "S3, lift rides: a queue before the database, one database or two",
  question: "What does a queue between the server and its database bring, and does a second database for reads help?",
  experiment:
    "256 or 512 threads in three phases that overlap: a quarter starts, then all, then a quarter closes. A thread posts 1,000 lift rides and then reads a few sums. The first server (A2) wrote to its database before it responded. The second (A3) put rides into a queue. The third (A4) had a queue and a second database, a replica for reads.",
  comparison:
    "A2 stands beside our design without a queue. A3 stands beside our variant whose reads go to the one database that writes, A4 beside tally as it is, which reads from a replica. The rows with a load balancer stand beside two gateways behind HAProxy, which read from the replica too. Our balancer and both gateways share two cores with everything else, so our factors of a balancer show its cost on the same hardware. Our run ends when the last ride is stored and ranked. The source's runs ended with the last response.",
  changes: [
    { name: "a queue, 256 threads", of: "a3-256", against: "a2-256" },
    { name: "two databases, 256 threads", of: "a4-256", against: "a3-256" },
    { name: "two databases, 512 threads", of: "a4-512", against: "a3-512" },
    { name: "the same with A3's own report, 512 threads", of: "a4-512", against: "a3-report-512" },
    {
      name: "load balancer (ours reads from the replica too), 256 threads",
      of: "a3-report-256-balancer",
      against: "a3-report-256",
    },
    {
      name: "load balancer (ours reads from the replica too), 512 threads",
      of: "a3-report-512-balancer",
      against: "a3-report-512",
    },
    { name: "512 threads instead of 256, two databases", of: "a4-512", against: "a4-256" },
  ],
  sections: [
    {
      heading: "Why the queue brings so much",
      paragraphs: [
        "Without a queue the source stores 165 rides a second, with a mean of 1.15 s. Each request waits for its own commit. Little's law ties the figures together: 165 a second multiplied by 1.15 s are 190 requests under way, between the 64 threads of the first phase and the 256 of the second. The threads spend nearly all of their time waiting.",
        "With a queue the response no longer waits for a commit. The rate grows seven times. But the work is postponed, not saved: a consumer must still commit each ride.",
      ],
    },
    {
      heading: "What a 2xx means",
      paragraphs: [
        "The source's consumers emptied the queue at about 100 rides a second. After a run of 245 s that accepted 384,000 rides, the queue still held most of them, and the database needed another hour. The printed 1,579 a second is the rate of acceptance. The rate of the system is that of its slowest part, in the long run: 100 a second.",
        "Therefore our rate divides by the time until the last ride is stored and ranked. When you read a rate of a system with a queue, ask how deep the queue was at the end.",
      ],
    },
    {
      heading: "A source that contradicts itself",
      paragraphs: [
        "The report about A4 quotes A3 with 1,155 and 1,325 requests a second. The wall times beside them give 1,165 and 1,569. A3's own report prints the same latencies with 1,513 and 2,213. By the quoted rates the second database brings 24 % with 512 threads, by the wall times beside them 4 %. By A3's own report the system became slower by 26 %. These cannot all be right, and the conclusion depends on the choice.",
        "Keep the raw records of each run, and let a program make the tables. Divide the requests by the wall time whenever you read a rate: it takes seconds, and here it finds five doubtful rows.",
      ],
    },
    {
      heading: "Two databases help reads that wait",
      paragraphs: [
        "A replica takes reads away from the database that writes. In this load fewer than 1 request in 100 is a read, so there is little to take away. (Our factors are near 1 for the same reason. With steps and half reads, runs in turns gave 1.12.) The p99 of GET with 512 threads is 6 s beside a median of 0.17 s: a few reads waited very long, for a connection or a timeout, and another database does not change that. Before you add a server, find out what the slow requests wait for.",
      ],
    },
  ],
};
