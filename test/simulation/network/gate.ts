import { NodeHttpHandler } from '@smithy/node-http-handler';
import { currentInvocation } from '../environment/invocation.ts';
import { describeRequest } from './request.ts';

const decoder = new TextDecoder();

type Sent = Parameters<NodeHttpHandler['handle']>;

/**
 * Stands where the SDK's HTTP handler opens connections: every request is held here, with all of the SDK and of this
 * service's client above it, until the network of its history delivers it.
 */
export function installGate(): void {
  NodeHttpHandler.prototype.handle = (async (
    { headers, body }: Sent[0],
    { abortSignal }: NonNullable<Sent[1]> = {},
  ) => {
    const invocation = currentInvocation();
    if (!invocation) throw new Error('A request outside of a simulated invocation');
    // An environment that is gone sends nothing more.
    if (invocation.dead) return new Promise(() => {});
    const request = describeRequest(
      `${invocation.id}/${++invocation.requests}`,
      headers['x-amz-target'] ?? '',
      typeof body === 'string' ? body : decoder.decode(body),
    );
    // The SDK's own, older type of the same object.
    return invocation.world.network.send(request, invocation, abortSignal as AbortSignal | undefined);
  }) as NodeHttpHandler['handle'];
}
