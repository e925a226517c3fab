import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { readSettings } from '../../infra/settings.ts';
import { synthesize } from './synth.ts';

const JWT = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'users', console: 'on' };

test('by default nothing of the console is deployed', () => {
  synthesize().resourceCountIs('AWS::CloudFront::Distribution', 0);
  synthesize().resourceCountIs('AWS::S3::Bucket', 0);
});

test('the bucket is private: only CloudFront reads it, over TLS', () => {
  const template = synthesize(JWT);
  template.hasResourceProperties('AWS::S3::Bucket', {
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
  });
  template.hasResourceProperties('AWS::CloudFront::OriginAccessControl', {
    OriginAccessControlConfig: { SigningBehavior: 'always', SigningProtocol: 'sigv4' },
  });
  template.hasResourceProperties('AWS::S3::BucketPolicy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        Match.objectLike({ Action: 's3:GetObject', Principal: { Service: 'cloudfront.amazonaws.com' } }),
      ]),
    },
  });
});

test('the APIs are under the same origin, and are never cached', () => {
  const behaviors = ['/api/users*', '/v1/users*', '/graphql'].map((PathPattern) =>
    Match.objectLike({
      PathPattern,
      ViewerProtocolPolicy: 'https-only',
      // Managed policies: CachingDisabled and AllViewerExceptHostHeader.
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
      OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
    }),
  );
  synthesize(JWT).hasResourceProperties('AWS::CloudFront::Distribution', {
    DistributionConfig: { DefaultRootObject: 'index.html', CacheBehaviors: behaviors },
  });
});

test('the page may connect to the issuer only if there is one', () => {
  const policy = (connect: string) => ({
    ResponseHeadersPolicyConfig: {
      SecurityHeadersConfig: { ContentSecurityPolicy: { ContentSecurityPolicy: Match.stringLikeRegexp(connect) } },
    },
  });
  const type = 'AWS::CloudFront::ResponseHeadersPolicy';
  synthesize(JWT).hasResourceProperties(type, policy("connect-src 'self' https:;"));
  synthesize({ auth: 'none', console: 'on' }).hasResourceProperties(type, policy("connect-src 'self';"));
});

test('requests that must be signed cannot come from the console', () => {
  expect(() => readSettings({ console: 'on' })).toThrow('The setting console requires auth=jwt or auth=none');
});
