import * as cdk from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

type Acknowledgment = { id: string; reason: string };

/** Tells checks of the template, such as cdk-nag, why a finding does not apply. Versions of CDK before 2.24x have no such checks. */
export function acknowledge(construct: IConstruct, ...findings: Acknowledgment[]): void {
  if ('Validations' in cdk) cdk.Validations.of(construct).acknowledge(...findings);
}
