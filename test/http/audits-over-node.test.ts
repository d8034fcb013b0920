import { auditsContract } from './audits-contract.ts';

auditsContract('node');
