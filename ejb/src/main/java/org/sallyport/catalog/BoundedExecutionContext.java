package org.sallyport.catalog;

import com.networknt.schema.Error;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import java.util.List;
import org.sallyport.tool.Json;

/**
 * Bounds the work of one validation. A schema that refers to itself twice for one member is evaluated exponentially
 * often for a value that is nested, which no bound for the schema alone can exclude. Not thread-safe.
 */
final class BoundedExecutionContext extends ExecutionContext {
    private static final long MIN_STEPS = 5_000_000;
    private static final long STEPS_PER_CHARACTER = 30;

    /** An error is kept until the validation ends. */
    private static final long STEPS_OF_AN_ERROR = 20;

    private long remainingSteps;

    private BoundedExecutionContext(Schema schema, int valueLength) {
        super(schema.createExecutionContext().getExecutionConfig());
        this.remainingSteps = MIN_STEPS + STEPS_PER_CHARACTER * valueLength;
    }

    /** Returns the errors of a value. Throws {@link SchemaException} if the validation takes too long. */
    static List<Error> validate(Schema schema, Json value) {
        String text = value.text();
        return schema.validate(new BoundedExecutionContext(schema, text.length()), text, InputFormat.JSON);
    }

    /** Is called for each keyword, and for each member of an object, that is evaluated. */
    @Override
    public void evaluationPathAddLast(String element) {
        use(1);
        super.evaluationPathAddLast(element);
    }

    @Override
    public void evaluationPathAddLast(int element) {
        use(1);
        super.evaluationPathAddLast(element);
    }

    @Override
    public void addError(Error error) {
        use(STEPS_OF_AN_ERROR);
        super.addError(error);
    }

    private void use(long steps) {
        remainingSteps -= steps;
        if (remainingSteps < 0) {
            throw new SchemaException("the schema is evaluated too often");
        }
    }
}
