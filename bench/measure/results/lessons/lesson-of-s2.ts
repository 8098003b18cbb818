import type { Lesson } from "./lesson.ts";

export const lessonOfS2: Lesson = {
  title: "S2, swipes: Little's law, and what a queue and a database cost",
  question: "Does Little's law predict the throughput, and what do a framework, a queue and a database cost?",
  experiment:
    "900 connections send 500,000 POSTs, with up to five retries. First the server stored nothing, once as a plain servlet and once with Spring. Then it put each swipe into RabbitMQ, on one server and on two instances. At the end consumers stored the swipes in MySQL, and five readers sent a GET every 200 ms meanwhile.",
  comparison:
    "The rows without storage stand beside our HTTP server with nothing behind it. It is one program with a framework and checks of every field, so it has one figure for the servlet and for Spring. The rows with a queue stand beside tally as it is: ours stores and ranks every swipe before the run ends. The row with two servers stands beside two gateways behind HAProxy. They share two cores with everything else, so the factor shows their cost on the same hardware.",
  changes: [
    { name: "Spring instead of a servlet", of: "bare-spring", against: "bare-client2" },
    { name: "queue and MySQL, instead of no storage", of: "queue-mysql", against: "bare-client2" },
    { name: "queue on one server, instead of no storage", of: "queue-single", against: "bare-client2" },
    { name: "two servers with a queue, instead of one", of: "queue-two", against: "queue-single" },
  ],
  sections: [
    {
      heading: "Little's law is a check of the measurement",
      paragraphs: [
        "Little's law says: the mean number of requests under way is the rate multiplied by the mean latency. With 900 connections that are always busy, the rate is 900 divided by the mean latency. The source computes 8,965 and measures 8,897, an error of 0.8 %.",
        "That agreement says nothing about the server. In a closed loop without pauses the law is arithmetic: what is missing is the time in which connections start and end, and the time that the client spends between two requests. Use it the other way round. If the law fails, the measurement is wrong: requests are missing, clocks differ, or the client was busy with itself. In a short run the start and the end count too: ours of two seconds without storage misses the law by 11 %. The percentiles of S1 (steps) fail such a test.",
      ],
    },
    {
      heading: "Distance is a part of latency",
      paragraphs: [
        "A request without load took about 65 ms, nearly all of it network. So 900 connections could not exceed 900 / 0.065 = 13,800 requests a second even with an infinitely fast server. At 8,900 a second the mean is 100 ms: 35 ms are waiting and work. At another time the same program reached 6,000: the network between them is a part of the result.",
        "Our client stands beside the server. Its latencies are waiting and work alone, and both share two cores. Ratios to the printed figures therefore mix two machines and two networks. Compare changes within one column: what did the queue cost there, and what does it cost here?",
      ],
    },
    {
      heading: "Differences that are smaller than the noise",
      paragraphs: [
        "The source concludes that a client which keeps every latency costs 2 %: 9,082 against 8,897. The same network moved between 9,000 and 6,000 on one day. A difference of 2 % between two single runs is not a result. Run both several times, in turns, and print the lowest and the highest: `pnpm bench compare` does that.",
        "The last row, with a queue and MySQL, is faster than both rows with a queue and no database. Nothing in the design explains that. The runs differ in something that the source did not print.",
      ],
    },
    {
      heading: "The framework costs more than the queue",
      paragraphs: [
        "Spring handles a third of the requests of the servlet: 2,929 against 8,897. The queue with MySQL behind it handles 7,215. The choice of the framework cost more than the queue and the database. Measure the empty server first: it is the upper limit of everything that follows.",
      ],
    },
  ],
};
