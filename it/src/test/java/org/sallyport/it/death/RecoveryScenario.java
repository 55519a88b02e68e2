package org.sallyport.it.death;

import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;

/** A promise that a server makes before it is killed, and that the next process on its data must keep. */
interface RecoveryScenario {
    /**
     * First line of scripts that must be running when the server is killed. They continue after {@link
     * #releaseScripts}.
     */
    String WAIT_FOR_RELEASE = "console.log('begun'); while (!(await demo.kv_get({ key: 'go' }))) await sleep(600);\n";

    /** Makes the server give the promise. Returns when there is state that a crash could lose. */
    void prepare();

    /** Fails unless the restarted server has kept the promise. */
    void assertRecovered();

    /** Releases the scripts of a tenant that begin with {@link #WAIT_FOR_RELEASE}. */
    static void releaseScripts(RestClient api) {
        api.run(SubmissionBody.javascript("await demo.kv_put({ key: 'go', value: true });"));
    }
}
