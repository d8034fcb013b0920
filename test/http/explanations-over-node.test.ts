import { explanationsContract } from './explanations-contract.ts';

explanationsContract('node');
