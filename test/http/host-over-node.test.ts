import { hostContract } from './host-contract.ts';

hostContract('node');
