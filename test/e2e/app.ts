import { Aspects } from 'aws-cdk-lib';
import { app } from '../../infra/app.ts';
import { forEmulator } from './for-emulator.ts';

// CDK synthesizes the app when the process is idle.
Aspects.of(app).add(forEmulator);
