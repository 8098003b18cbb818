import type { Lesson } from "./lesson.ts";

export const lessonOfS0: Lesson = {
  title: "S0, albums: one server, two servers, tuned servers",
  question:
    "What does a second server behind a load balancer bring, and what does an overloaded single server look like?",
  experiment:
    "Groups of 10 threads start every 2 seconds: 10, 20 or 30 groups. Each thread posts an album with a picture and reads it, 1,000 times. The server stored the album before it responded. Later the same author measured albums and reviews with a queue: each thread posts an album, likes it twice and dislikes it once, 100 times.",
  comparison:
    "The row of the single server stands beside our design without a queue, the rows of two servers beside two such gateways behind HAProxy. The groups start one after the other, so even a server without any latency cannot exceed about 11,000 requests a second with 10 groups and 10,300 with 30, or 2,200 and 2,070 with albums and reviews: with reviews ours is near these limits, with albums alone it reaches two thirds and more. Ours stores the picture too, and the run ends when everything is stored and ranked. All our servers and the client share one machine with two cores, so a second gateway adds no hardware.",
  changes: [
    { name: "two servers instead of one, 10 groups", of: "two-10", against: "single-10" },
    { name: "two servers instead of one, 20 groups", of: "two-20", against: "single-20" },
    { name: "two servers instead of one, 30 groups", of: "two-30", against: "single-30" },
    { name: "20 groups instead of 10, two servers", of: "two-20", against: "two-10" },
    { name: "30 groups instead of 20, two servers", of: "two-30", against: "two-20" },
    { name: "20 groups instead of 10, with a queue", of: "queue-20", against: "queue-10" },
    { name: "30 groups instead of 20, with a queue", of: "queue-30", against: "queue-20" },
  ],
  sections: [
    {
      heading: "Read mean, median and maximum together",
      paragraphs: [
        "The single server with 10 groups has a median of 56 ms and a mean of 360 ms. The mean is six times the median, so a few requests took very long: the p99 is 6.7 s, the maximum 9.97 s. A maximum of about 10 s in each of the three rows looks like a timeout. The median says that the server is fast, the mean says that it stood still from time to time. Only both together describe the run.",
        "With 20 groups the same server is four times as fast as with 10. Twice the load cannot make a server four times as fast. So the first row does not show its capacity: it shows a run in which something stalled. One run is not a measurement. Repeat it, and report the spread.",
      ],
    },
    {
      heading: "A failed request is not throughput",
      paragraphs: [
        "The printed rates divide all planned requests by the wall time, failed ones included. With two servers and 30 groups 10,896 of 600,000 requests failed, and the rate counts them. A request that is refused at once even raises such a rate. Count successes, and print failures beside the rate. Our rates count only requests with a 2xx.",
      ],
    },
    {
      heading: "More threads do not help a saturated server",
      paragraphs: [
        "Two servers handle 1,886 requests a second with 100 threads, 2,580 with 200, and 2,352 with 300. From 200 to 300 threads the rate falls and the p99 triples. The system is saturated: a further thread only waits. The tuned servers have the same 2,580 with 200 threads to the last digit, so the tuning did not move the limit of the rate. It removed failures: with 30 groups 177 requests failed instead of 10,896.",
        "The source also printed stubs that store nothing: 3,351 a second in Go and 2,843 in Java. Two servers that store reach 70 % of the faster stub with the same 30 groups. The text does not say how many servers the stub had, so this bounds what a faster database can bring only if they were two as well.",
      ],
    },
    {
      heading: "A second server needs a second machine",
      paragraphs: [
        "In the source the second server was a second machine. The printed factors are 9.3, 3.0 and 5.4. Twice the machines cannot bring more than twice the rate, so most of each factor is the standstill of the single server, and how much a second server brings cannot be read from it. Our two gateways share two cores with the database, the broker and the client. Then a load balancer is one more process on the same cores, and our factors show what that costs or brings on the same hardware only.",
      ],
    },
  ],
};
