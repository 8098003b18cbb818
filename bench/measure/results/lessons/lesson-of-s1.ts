import type { Lesson } from "./lesson.ts";

export const lessonOfS1: Lesson = {
  title: "S1, steps: how many threads, and a load balancer",
  question: "How does throughput grow with the number of client threads, and does a load balancer help?",
  experiment:
    "Four phases follow each other: warm-up with a tenth of the threads, load with half, peak with all, cool-down with a quarter. A thread posts steps, reads the current day of one user and a single day of another, five requests each time. The source repeated this with 32 to 256 threads, with and without a load balancer, and with another server language.",
  comparison:
    "One server stands beside one gateway, the load balancer beside HAProxy with two gateways. Our balancer and both gateways share two cores with everything else, so our factors of a balancer show its cost on the same hardware. Our client runs on the machine of the servers, so our latencies contain no network. The times are of POST and GET together, as the source printed them.",
  changes: [
    { name: "64 threads instead of 32", of: "64", against: "32" },
    { name: "128 threads instead of 64", of: "128", against: "64" },
    {
      name: "256 threads instead of 128; the source also moved the client into the data centre",
      of: "256-ec2",
      against: "128",
    },
    { name: "load balancer, 32 threads", of: "32-balancer", against: "32" },
    { name: "load balancer, 64 threads", of: "64-balancer", against: "64" },
    { name: "load balancer, 128 threads", of: "128-balancer", against: "128" },
  ],
  sections: [
    {
      heading: "Percentiles that cannot be",
      paragraphs: [
        "In eight of the eleven different runs the printed p95 is above the printed p99. That is impossible: 99 % of the requests include the fastest 95 %. The values were not taken from sorted latencies of one run.",
        "The mean shows more. A closed client keeps each thread busy, so the threads of a phase, multiplied by its seconds, are the time that all its requests took together. The sum over the four phases, divided by the number of requests, is the mean latency: 80 ms for the default server, 33 ms for 32 threads. The row of 32 threads prints a p99 of 23 ms. For that to be true, the slowest 1 % of the requests must take more than a second on average while all others take less than 23 ms. It is possible, but not believable without the whole distribution.",
        "Two checks take one minute and need no data: percentiles must not fall, and threads divided by the rate must give the mean.",
      ],
    },
    {
      heading: "A closed loop finds the limit by waiting",
      paragraphs: [
        "From 32 to 64 threads the rate grows by 25 %, from 64 to 128 by 9 %, from 128 to 256 by 2 % (with the client on the author's computer). The mean latency grows from 33 to 61, 118 and 235 ms: it doubles with the threads. Something reached its limit near 900 requests a second, and every further thread waits for it. It was not the server: with the client in the same data centre 256 threads reach 1,256. In a closed loop the rate is the number of threads divided by the latency. A high latency is then not a property of the server, it is the queue that the threads themselves make.",
        "So choose the number of threads by the rate that is needed and the latency that is allowed. More than that only adds waiting.",
      ],
    },
    {
      heading: "Where the client stands",
      paragraphs: [
        "256 threads on the author's computer reach 907 a second, and 1,256 from a machine in the same data centre. The server did not change. A thread that needs a round trip of 100 ms cannot send more than 10 requests a second, whatever the server does. Measure the distance first, with one thread.",
      ],
    },
    {
      heading: "The balancer that does not help",
      paragraphs: [
        "With the load balancer the printed rates are lower: 598 against 650, 593 against 812, 866 against 887. A balancer adds a hop. It pays when the servers behind it are the bottleneck. Here the limit was elsewhere: in the network of the client, for example, or in a database that all servers share. Two servers wait for it as one does.",
        "The row with 256 threads and the balancer looks like a success. But its start, end and figures are those of the run without it, to the last digit. It is the same run.",
      ],
    },
    {
      heading: "Handlers are threads, too",
      paragraphs: [
        "The server in Python had 4 workers with 4 threads: 16 requests at a time. If all 16 are always busy, 691.8 requests a second leave 23 ms for each. The client saw a mean of 156 ms. The other 133 ms are waiting in front of the handlers. Little's law holds for each part of a system, not only for the whole.",
      ],
    },
  ],
};
