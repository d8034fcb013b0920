import { explanationsContract } from '../http/explanations-contract.ts';

explanationsContract('node');
