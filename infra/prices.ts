/** List prices of us-east-1 in USD since November 2024. Check them before relying on them. */
export const prices = {
  /** DynamoDB, on-demand, per request unit: https://aws.amazon.com/dynamodb/pricing/on-demand/ */
  read: 0.125e-6,
  write: 0.625e-6,
  /** HTTP API, per request up to 300 million a month: https://aws.amazon.com/api-gateway/pricing/ */
  httpApi: 1e-6,
  /** Lambda on arm64, per invocation and per second of 1 GB: https://aws.amazon.com/lambda/pricing/ */
  invocation: 0.2e-6,
  second: 0.0000133334,
};

/** The assumed duration of an invocation: it cannot be measured without Lambda. */
export const ASSUMED_SECONDS = 0.02;
