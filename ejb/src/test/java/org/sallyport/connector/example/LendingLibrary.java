package org.sallyport.connector.example;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.bean.Backend;
import org.sallyport.bean.Param;
import org.sallyport.bean.Tool;
import org.sallyport.bean.ToolContext;
import org.sallyport.bean.ToolException;

/** Books and who has them. */
@ApplicationScoped
@Backend("library")
public class LendingLibrary {
    public record BookLoan(String book, String reader, Optional<LocalDate> due) {}

    private final Map<String, BookLoan> loans = new ConcurrentHashMap<>();

    @Tool(value = "Lends a book.", idempotent = true)
    public BookLoan lend(String book, String reader, @Param("When it is to be back.") Optional<LocalDate> due) {
        BookLoan loan = loans.computeIfAbsent(book, any -> new BookLoan(book, reader, due));
        if (!loan.reader().equals(reader)) {
            throw ToolException.failed("another reader has it");
        }
        return loan;
    }

    @Tool(value = "The books that a reader has.", readOnly = true)
    public CompletionStage<List<BookLoan>> loans(String reader) {
        return CompletableFuture.supplyAsync(() -> loans.values().stream()
                .filter(loan -> loan.reader().equals(reader))
                .toList());
    }

    @Tool("Waits until a book is back; is interrupted when the client no longer waits for it.")
    public void await(String book, ToolContext call) throws InterruptedException {
        while (loans.containsKey(book)) {
            call.progress("it is still away");
            Thread.sleep(100);
        }
    }
}
