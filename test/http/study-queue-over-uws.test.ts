import { studyQueueContract } from './study-queue-contract.ts';

studyQueueContract('uws');
