/**
 * List prices of us-east-1 in USD, without free tiers, as of 22 November 2026. Each comment dates the newest page that
 * quotes the price.
 */
export const prices = {
  /** DynamoDB, on-demand, per request unit. July 2025: https://aws.amazon.com/dynamodb/pricing/on-demand/ */
  read: 0.125e-6,
  write: 0.625e-6,
  /** HTTP API, per request: the first 300 million a month, and beyond. 2026: https://aws.amazon.com/api-gateway/pricing/ */
  httpApi: 1e-6,
  httpApiBeyond: 0.9e-6,
  /**
   * Data transfer to the internet, per GB of the first 10 TB a month. 2026:
   * https://aws.amazon.com/ec2/pricing/on-demand/
   */
  transferGigabyte: 0.09,
  /** Lambda on arm64, per invocation and per GB-second. March 2026: https://aws.amazon.com/lambda/pricing/ */
  invocation: 0.2e-6,
  second: 0.0000133334,
  /**
   * EventBridge, per event of up to 64 KB put on a bus, and per event sent to an API destination. June 2026:
   * https://aws.amazon.com/eventbridge/pricing/
   */
  event: 1e-6,
  apiDestination: 0.2e-6,
  /** SQS standard queues, per request of up to 64 KB. June 2026: https://aws.amazon.com/sqs/pricing/ */
  queueRequest: 0.4e-6,
  /** Secrets Manager, per secret and month. From undated copies of https://aws.amazon.com/secrets-manager/pricing/ */
  secretMonth: 0.4,
  /** CloudWatch Logs, per ingested byte. June 2026: https://aws.amazon.com/cloudwatch/pricing/ */
  logByte: 0.5 / 2 ** 30,
  /**
   * AppSync, per update of up to 5 KB to a subscriber, per connection minute, and per mutation. Undated:
   * https://aws.amazon.com/appsync/pricing/
   */
  appsyncUpdate: 2e-6,
  appsyncMinute: 0.08e-6,
  appsyncMutation: 4e-6,
  /** WebSocket API, per message of up to 32 KB (first billion), and per connection minute. 2026, same page as HTTP API. */
  socketMessage: 1e-6,
  socketMinute: 0.25e-6,
};

/** Assumed durations of an invocation and of a DynamoDB request, because both can only be measured on AWS. */
export const ASSUMED_SECONDS = 0.02;
export const ASSUMED_ROUND_TRIP_SECONDS = 0.005;

/**
 * INIT phase of a cold start, which Lambda bills like invocations. Measured locally: 0.16 to 0.19 s
 * (infra/bench/speed.md).
 */
export const ASSUMED_INIT_SECONDS = 0.2;
export const ASSUMED_COLD_PART = 0.01;

/** Average size of a response, including headers. */
export const ASSUMED_RESPONSE_BYTES = 700;
export const ASSUMED_LISTED_USER_BYTES = 110;

/**
 * Assumed price of a web function per GB-second and per vCPU-second: the price of an arm64 GB-second. AWS had not
 * published any by November 2026.
 */
export const ASSUMED_WEB_FUNCTION_SECOND = prices.second;
