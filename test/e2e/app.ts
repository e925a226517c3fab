import { Aspects } from 'aws-cdk-lib';
import { app } from '../../infra/app.ts';
import { forEmulator } from './for-emulator.ts';

// CDK synthesizes the imported app when the process exits.
Aspects.of(app).add(forEmulator);
