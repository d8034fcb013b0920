import { auditsContract } from './audits-contract.ts';

auditsContract('uws');
