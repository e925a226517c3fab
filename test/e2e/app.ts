import { Aspects } from 'aws-cdk-lib';
import { app } from '../../infra/app.ts';
import { forEmulator } from './for-emulator.ts';

// The imported app is not synthesized yet: CDK does that when the process is about to exit.
Aspects.of(app).add(forEmulator);
