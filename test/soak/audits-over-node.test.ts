import { auditsContract } from '../http/audits-contract.ts';

auditsContract('node');
