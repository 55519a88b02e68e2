package org.sallyport.it.death;

import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;

/** Something that a server has promised before it is killed, and that the next process on its data keeps. */
interface RecoveryScenario {
    /** How scripts begin that are to be running when the server is killed: they go on once {@link #releaseScripts} was called. */
    String WAIT_FOR_RELEASE = "console.log('begun'); while (!(await demo.kv_get({ key: 'go' }))) await sleep(200);\n";

    /** Makes the server promise it. Returns when there is something to lose. */
    void prepare();

    /** Fails unless the server, killed and started again, has kept it. */
    void assertRecovered();

    /** Lets the scripts of a tenant go on that are {@link #WAIT_FOR_RELEASE}. */
    static void releaseScripts(RestClient api) {
        api.run(SubmissionBody.javascript("await demo.kv_put({ key: 'go', value: true });"));
    }
}
