/** Too many streams, or a service that is not ready. */
const TEMPORARY = [429, 502, 503, 504];

/** The service answers a subscription with errors instead of a stream. */
export class StreamRejected extends Error {
  override name = 'StreamRejected';
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterMs: number;

  private constructor({ status, headers }: Response, body: unknown) {
    // Those of API Gateway itself are `{ message }`.
    const { errors, message } = Object(body);
    super(errors?.[0]?.message ?? message ?? `The service answered ${status}`);
    this.status = status;
    this.body = body;
    this.retryAfterMs = Number(headers.get('retry-after') ?? 0) * 1000;
  }

  static async read(response: Response): Promise<StreamRejected> {
    return new StreamRejected(response, await response.json().catch(() => undefined));
  }

  get isTemporary(): boolean {
    return TEMPORARY.includes(this.status);
  }
}
