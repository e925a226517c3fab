/**
 * List prices of us-east-1 in USD, without free tiers. Each was looked up on 22 November 2026; its comment says of when the
 * newest page is that quotes it. Check them before relying on them.
 */
export const prices = {
  /**
   * DynamoDB, on-demand, per request unit. July 2025, as since November 2024; no later change was found:
   * https://aws.amazon.com/dynamodb/pricing/on-demand/
   */
  read: 0.125e-6,
  write: 0.625e-6,
  /** HTTP API, per request up to 300 million a month, and per request beyond. 2026: https://aws.amazon.com/api-gateway/pricing/ */
  httpApi: 1e-6,
  httpApiBeyond: 0.9e-6,
  /** Data transfer out to the internet, per GB of the first 10 TB a month, of which 100 GB are free. 2026: https://aws.amazon.com/ec2/pricing/on-demand/ */
  transferGigabyte: 0.09,
  /** Lambda on arm64, per invocation and per second of 1 GB. March 2026: https://aws.amazon.com/lambda/pricing/ */
  invocation: 0.2e-6,
  second: 0.0000133334,
  /**
   * EventBridge, per event that is put on a bus, of up to 64 KB, and per event that an API destination receives. June 2026:
   * https://aws.amazon.com/eventbridge/pricing/
   */
  event: 1e-6,
  apiDestination: 0.2e-6,
  /** SQS standard queues, per request of up to 64 KB, of which a million a month are free. June 2026: https://aws.amazon.com/sqs/pricing/ */
  queueRequest: 0.4e-6,
  /** Secrets Manager, per secret and month; copies of https://aws.amazon.com/secrets-manager/pricing/ have it without a date. */
  secretMonth: 0.4,
  /** CloudWatch Logs, per byte ingested, up to 10 TB a month. June 2026: https://aws.amazon.com/cloudwatch/pricing/ */
  logByte: 0.5 / 2 ** 30,
  /**
   * AppSync, per update that a subscriber receives, of up to 5 KB, and per minute of a connection, as on AWS's page (a copy without a
   * date): https://aws.amazon.com/appsync/pricing/. The mutation that publishes it is only quoted by others, without a date.
   */
  appsyncUpdate: 2e-6,
  appsyncMinute: 0.08e-6,
  appsyncMutation: 4e-6,
  /** WebSocket API, per message of up to 32 KB, of the first billion, and per minute of a connection. 2026, see HTTP API. */
  socketMessage: 1e-6,
  socketMinute: 0.25e-6,
};

/** The assumed durations of an invocation and of a request to DynamoDB: they cannot be measured without AWS. */
export const ASSUMED_SECONDS = 0.02;
export const ASSUMED_ROUND_TRIP_SECONDS = 0.005;

/**
 * Lambda bills INIT as it does invocations. On this machine it takes 0.16 to 0.19 s (test/bench/speed.md). How many invocations are cold depends on the
 * traffic.
 */
export const ASSUMED_INIT_SECONDS = 0.2;
export const ASSUMED_COLD_PART = 0.01;

/** The assumed bytes of a response with its headers, and of each user in a list. */
export const ASSUMED_RESPONSE_BYTES = 700;
export const ASSUMED_LISTED_USER_BYTES = 110;

/**
 * Prices of Lambda Web Functions were not published in November 2026. A second of 1 GB and a second of a vCPU in use are assumed
 * to cost what a second of 1 GB does in a function on arm64.
 */
export const ASSUMED_WEB_FUNCTION_SECOND = prices.second;
