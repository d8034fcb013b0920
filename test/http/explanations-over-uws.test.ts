import { explanationsContract } from './explanations-contract.ts';

explanationsContract('uws');
