// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <vector>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace vramscope::gui {

/// What the window shows with no capture: how to get one, and those that were open lately.
class StartPage : public QWidget {
    Q_OBJECT

public:
    explicit StartPage(QWidget* parent = nullptr);

    void setRecent(const QStringList& files);

Q_SIGNALS:
    void openWanted();
    void fileChosen(const QString& file);
    void forgetWanted(const QString& file);

private:
    QWidget* card(const QString& title, const QString& text, QWidget* below);
    QVBoxLayout* m_recent;
};

/// What the window shows of a file that cannot be opened: what is wrong, and what can be done.
class ProblemPage : public QWidget {
    Q_OBJECT

public:
    explicit ProblemPage(QWidget* parent = nullptr);

    void show(const QString& file, const QString& why);
    /// What can still be told of the file, a line each.
    void showGlimpse(const QStringList& facts);
    /// What can still be shown of it, in a sentence, with a button to do so.
    void offerSalvage(const QString& what);
    QString text() const;
    /// Something can still be shown.
    bool offersSalvage() const;

Q_SIGNALS:
    void retryWanted();
    void salvageWanted();
    void openWanted();

private:
    QLabel* m_title;
    QLabel* m_facts;
    QLabel* m_why;
    QLabel* m_rest;
    QPushButton* m_salvage;
    QLabel* m_hint;
};

}  // namespace vramscope::gui
