import { operationContract } from '../http/operation-contract.ts';

operationContract('node');
