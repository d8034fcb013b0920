import { operationContract } from './operation-contract.ts';

operationContract('uws');
