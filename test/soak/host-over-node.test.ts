import { hostContract } from '../http/host-contract.ts';

hostContract('node');
